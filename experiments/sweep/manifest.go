package sweep

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"ratelab/internal/atomicfile"
)

// ManifestFile is the name of the manifest in a folder of results.
const ManifestFile = "manifest.json"

// Manifest says where results came from. It alone changes from run to run.
type Manifest struct {
	Experiment string `json:"experiment"`
	Program    string `json:"program"`  // hash of the code that a cell runs
	Revision   string `json:"revision"` // of the source, "" if unknown
	Dirty      bool   `json:"dirty"`    // the source had changes that the revision has not
	GoVersion  string `json:"go_version"`
	Host       string `json:"host"`

	Grid   []Axis `json:"grid"`   // for each factor all values that occur, in the order of the rows
	Points int    `json:"points"` // combinations of them that were run
	Keys   string `json:"keys"`   // sha256 of the points, which tells grids apart that have the same values
	Seed   uint64 `json:"seed"`
	Reps   int    `json:"reps"` // of each point; with a precision, of that which has most
	Quick  bool   `json:"quick"`
	// Contents says what values that name something, such as files, stood for: see Origin.Variant.
	Contents string `json:"contents,omitempty"`
	// Settings is what was asked for, from which the caller can make the plan again. It decides nothing here.
	Settings json.RawMessage `json:"settings,omitempty"`
	// Precision is what decided how many replications a point has, if it was not Reps.
	Precision *Sequential `json:"precision,omitempty"`

	Cells       int `json:"cells"` // in all
	CellsRun    int `json:"cells_run"`
	CellsCached int `json:"cells_cached"` // taken from the store
	CellsFailed int `json:"cells_failed"`

	Start   time.Time `json:"start"`
	End     time.Time `json:"end"`
	Outputs []Output  `json:"outputs"` // sorted by path
}

// Sequential is a precision that was asked for, and what came of it.
type Sequential struct {
	Precision
	PointReps []int `json:"point_reps"` // of each point, in the order of the rows
}

// Output is a file that was made from the cells.
type Output struct {
	Path   string `json:"path"` // relative to the manifest, with forward slashes
	SHA256 string `json:"sha256"`
}

// NewManifest returns what a plan says of its results before it runs. Program, Revision, Dirty, Quick,
// Contents and Settings are the caller's to fill in.
func NewManifest(plan *Plan) (Manifest, error) {
	points, err := plan.points()
	if err != nil {
		return Manifest{}, err
	}
	m := Manifest{
		Experiment: plan.Name, GoVersion: runtime.Version(), Points: len(points), Seed: plan.Seed, Reps: plan.Reps,
		Cells: len(points) * plan.Reps,
	}
	if plan.Precision.On() {
		q, err := plan.resolved()
		if err != nil {
			return Manifest{}, err
		}
		m.Precision = &Sequential{Precision: q}
		m.Reps, m.Cells = LeastReps, len(points)*LeastReps // at least
	}
	m.Host, _ = os.Hostname() // it may have none
	names := plan.factorNames()
	hash := sha256.New()
	for _, point := range points {
		_, _ = io.WriteString(hash, pointKey(names, point)+"\n") // a hash takes everything
	}
	m.Keys = hex.EncodeToString(hash.Sum(nil))
	for f, name := range names {
		axis := Axis{Factor: name}
		seen := make(map[string]bool)
		for _, point := range points {
			if v := point[f]; !seen[v] {
				seen[v] = true
				axis.Values = append(axis.Values, v)
			}
		}
		m.Grid = append(m.Grid, axis)
	}
	return m, nil
}

// ReadManifest reads the manifest in a folder. If there is none, the error is fs.ErrNotExist.
func ReadManifest(dir string) (Manifest, error) {
	path := filepath.Join(dir, ManifestFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return Manifest{}, err
	}
	var m Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return Manifest{}, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

func (m *Manifest) write(dir string) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(m); err != nil {
		return err
	}
	return atomicfile.WriteBytes(filepath.Join(dir, ManifestFile), text.Bytes())
}

// enter adds files of a folder to the outputs, or their new hashes.
func (m *Manifest) enter(dir string, files ...string) error {
	for _, file := range files {
		path := filepath.ToSlash(filepath.Clean(file))
		if !filepath.IsLocal(file) {
			return fmt.Errorf("output %q: want a path inside %s", file, dir)
		}
		sum, err := hashFile(filepath.Join(dir, file))
		if err != nil {
			return err
		}
		m.set(path, sum)
	}
	return nil
}

// set enters the hash of an output.
func (m *Manifest) set(path, sum string) {
	i, found := m.find(path)
	if !found {
		m.Outputs = slices.Insert(m.Outputs, i, Output{Path: path})
	}
	m.Outputs[i].SHA256 = sum
}

func (m *Manifest) find(path string) (int, bool) {
	return slices.BinarySearchFunc(m.Outputs, path, func(o Output, path string) int { return cmp.Compare(o.Path, path) })
}

func hashFile(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// AddOutputs enters files that were made from the results, such as figures, into the manifest of their folder. Paths
// are relative to the folder; a file that is entered already gets its new hash.
func AddOutputs(dir string, files ...string) error {
	m, err := ReadManifest(dir)
	if err != nil {
		return err
	}
	if err := m.enter(dir, files...); err != nil {
		return err
	}
	return m.write(dir)
}

// Fresh returns nil if a folder holds the complete results that want describes, and otherwise an error that says in one
// sentence why not: there are none, or other code, grid, seed or replications made them, or they are not whole, or a
// table was changed since. Of want, it looks at what NewManifest fills in of the plan, and at Program, Quick and Contents. Files
// that are made from the tables, such as figures, do not matter here: see Manifest.Changed.
func Fresh(dir string, want Manifest) error {
	m, err := ReadManifest(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s holds no results of %q", dir, want.Experiment)
	}
	if err != nil {
		return err
	}
	why := m.differs(want)
	if why == "" {
		why = m.spoilt(dir)
	}
	if why != "" {
		return fmt.Errorf("the results in %s are stale: %s", dir, why)
	}
	return nil
}

// differs says in what these results are not those wanted.
func (m *Manifest) differs(want Manifest) string {
	switch {
	case m.Experiment != want.Experiment:
		return fmt.Sprintf("they are of %q, not of %q", m.Experiment, want.Experiment)
	case m.Program != want.Program || m.Program == "": // unknown code is other code
		return fmt.Sprintf("another program made them (%s, this is %s)", Short(m.Program), Short(want.Program))
	case m.Quick != want.Quick:
		return map[bool]string{true: "they are of a quick run", false: "they are of a full run, and a quick one is wanted"}[m.Quick]
	case m.Seed != want.Seed:
		return fmt.Sprintf("they have seed %d, and %d is wanted", m.Seed, want.Seed)
	case m.Precision == nil && want.Precision != nil:
		return fmt.Sprintf("they have %d replications of each point, and %v is wanted", m.Reps, want.Precision)
	case m.Precision != nil && want.Precision == nil:
		return fmt.Sprintf("they were run to %v, and %d replications are wanted", m.Precision, want.Reps)
	case m.Precision != nil && !m.Precision.equal(want.Precision.Precision):
		return fmt.Sprintf("they were run to %v, and %v is wanted", m.Precision, want.Precision)
	case m.Precision == nil && m.Reps != want.Reps:
		return fmt.Sprintf("they have %d replications, and %d are wanted", m.Reps, want.Reps)
	case m.Keys != want.Keys:
		return m.gridDiffers(want)
	case m.Contents != want.Contents:
		return fmt.Sprintf("what they were made of has changed: it was %s, and is %s", m.Contents, want.Contents)
	case m.CellsFailed > 0:
		return fmt.Sprintf("%d of %d cells failed", m.CellsFailed, m.Cells)
	case m.CellsRun+m.CellsCached < m.Cells:
		return fmt.Sprintf("only %d of %d cells are done", m.CellsRun+m.CellsCached, m.Cells)
	}
	return ""
}

func (m *Manifest) gridDiffers(want Manifest) string {
	for _, w := range want.Grid {
		i := slices.IndexFunc(m.Grid, func(a Axis) bool { return a.Factor == w.Factor })
		if i < 0 {
			return fmt.Sprintf("they do not have factor %q", w.Factor)
		}
		if !slices.Equal(m.Grid[i].Values, w.Values) {
			return fmt.Sprintf("they have %s = %s, and %s is wanted", w.Factor, values(m.Grid[i].Values), values(w.Values))
		}
	}
	return fmt.Sprintf("they are of another grid (%d points, and %d are wanted)", m.Points, want.Points)
}

// values shows factor values in a sentence.
func values(list []string) string {
	const most = 8
	rest := ""
	if len(list) > most {
		rest = fmt.Sprintf(" and %d more", len(list)-most)
		list = list[:most]
	}
	if slices.ContainsFunc(list, func(v string) bool { return strings.ContainsAny(v, ", ") }) {
		return strings.Join(list, " ; ") + rest
	}
	return strings.Join(list, ",") + rest
}

// Short shows the start of a hash, "unknown" if there is none.
func Short(hash string) string {
	if len(hash) > 12 {
		return hash[:12]
	}
	if hash == "" {
		return "unknown"
	}
	return hash
}

// spoilt says which table is not as it was written.
func (m *Manifest) spoilt(dir string) string {
	for _, file := range []string{RunsFile, SummaryFile, WarningsFile, DataPackageFile} {
		i, found := m.find(file)
		if !found {
			return fmt.Sprintf("the manifest does not know %s", file)
		}
		sum, err := hashFile(filepath.Join(dir, file))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return file + " is missing"
		case err != nil:
			return err.Error()
		case sum != m.Outputs[i].SHA256:
			return file + " was changed after it was written"
		}
	}
	return ""
}

// Holds reports whether a file of the folder was entered in the manifest and is as it was then.
func (m *Manifest) Holds(dir, file string) bool {
	i, found := m.find(file)
	if !found {
		return false
	}
	sum, err := hashFile(filepath.Join(dir, file))
	return err == nil && sum == m.Outputs[i].SHA256
}

// Changed returns the paths of the outputs that are missing in the folder, or not as they were entered.
func (m *Manifest) Changed(dir string) []string {
	var changed []string
	for _, o := range m.Outputs {
		if sum, err := hashFile(filepath.Join(dir, filepath.FromSlash(o.Path))); err != nil || sum != o.SHA256 {
			changed = append(changed, o.Path)
		}
	}
	return changed
}
