package peers

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"sync"
	"testing"
	"testing/synctest"
)

// With -table, the table of all peers is written to a file and shown, and the
// summary is the last line. `make peers` does so.
var tableFile = flag.String("table", "", "file that the table of all peers is written to")

// compared are the peers' rows, in their order.
var (
	compared      = make([]Comparison, len(All()))
	comparedMutex sync.Mutex
)

func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	if *tableFile != "" {
		var table bytes.Buffer
		err := WriteTable(&table, compared)
		if err == nil && code == 0 {
			err = os.WriteFile(*tableFile, table.Bytes(), 0o644)
		}
		fmt.Print(table.String())
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
		fmt.Println(Summary(compared))
	}
	os.Exit(code)
}

func TestPeersDecideAsTheirLimiters(t *testing.T) {
	for i, p := range All() {
		t.Run(p.Program, func(t *testing.T) {
			t.Parallel()
			c, err := p.Compare(func(run func()) {
				synctest.Test(t, func(*testing.T) { run() })
			})
			comparedMutex.Lock()
			compared[i] = c
			comparedMutex.Unlock()
			switch {
			case err != nil:
				t.Fatal(err)
			case c.NotRun != "" && os.Getenv("CI") == "true":
				t.Fatalf("not run: %s", c.NotRun)
			case c.NotRun != "":
				t.Skipf("not run: %s", c.NotRun)
			case c.Differences > 0:
				t.Errorf("%d of %d decisions differ; the first: %s", c.Differences, c.Decisions, c.First)
			}
			if c.Version != c.Modelled {
				t.Logf("version %s, modelled %s", c.Version, c.Modelled)
			}
		})
	}
}
