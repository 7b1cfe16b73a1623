package engines

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// ErrNotInstalled is wrapped where a program is not here.
var ErrNotInstalled = errors.New("not installed")

// Schedulers are the queues of pending events that ns-3 has.
var Schedulers = []string{"Map", "Heap", "Calendar", "PriorityQueue", "List"}

// Foreign is the engines that are programs of their own.
type Foreign struct {
	SimPy, NS3 error // why they can not run; nil if they can
	dir        string
}

const python = "/usr/bin/python3" // which sees Debian's packages

//go:embed simpy/engine.py
var simpyProgram []byte

//go:embed ns3/engine.cc
var ns3Program []byte

// NewForeign makes them ready in the folder dir.
func NewForeign(dir string, d *Draws) (*Foreign, error) {
	f := &Foreign{dir: dir}
	if err := d.WriteFile(f.file("draws")); err != nil {
		return nil, err
	}
	for name, text := range map[string][]byte{"simpy_engine.py": simpyProgram, "ns3_engine.cc": ns3Program} {
		if err := os.WriteFile(f.file(name), text, 0o644); err != nil {
			return nil, err
		}
	}
	if err := exec.Command(python, "-c", "import simpy").Run(); err != nil {
		f.SimPy = fmt.Errorf("SimPy is %w", ErrNotInstalled)
	}
	_, err := exec.LookPath("g++")
	if _, header := os.Stat("/usr/include/ns3/simulator.h"); err != nil || header != nil {
		f.NS3 = fmt.Errorf("ns-3 is %w", ErrNotInstalled)
		return f, nil
	}
	out, err := exec.Command("g++", "-O3", "-DNDEBUG", "-std=c++17", "-o", f.file("ns3_engine"), f.file("ns3_engine.cc"), "-lns3-core").CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("g++: %w\n%s", err, out)
	}
	return f, nil
}

func (f *Foreign) file(name string) string { return filepath.Join(f.dir, name) }

// RunSimPy does a work on SimPy.
func (f *Foreign) RunSimPy(w Work) (Outcome, error) {
	if f.SimPy != nil {
		return Outcome{}, f.SimPy
	}
	return f.run(w, python, f.file("simpy_engine.py"))
}

// RunNS3 does a work on ns-3 with one of its Schedulers.
func (f *Foreign) RunNS3(w Work, scheduler string) (Outcome, error) {
	if f.NS3 != nil {
		return Outcome{}, f.NS3
	}
	return f.run(w, f.file("ns3_engine"), "", scheduler)
}

// patience is how long a foreign program may take.
const patience = 5 * time.Minute

func (f *Foreign) run(w Work, program, script string, more ...string) (o Outcome, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var args []string
	if script != "" {
		args = append(args, script)
	}
	args = append(args, w.Model, strconv.Itoa(w.N), strconv.Itoa(w.Count), f.file("draws"))
	cmd := exec.CommandContext(ctx, program, append(args, more...)...)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return o, fmt.Errorf("%s: %w\n%s", cmd, err, said.String())
	}
	var cpu int64
	if _, err := fmt.Sscan(string(out), &o.Check, &cpu); err != nil {
		return o, fmt.Errorf("%s: %w: %q", cmd, err, out)
	}
	o.CPU = time.Duration(cpu)
	return o, nil
}
