package experiments

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"ratelab/logs"
)

// replayLog is a log in memory.
type replayLog struct {
	digest string // sha256 of its text
	log    *logs.Log
}

// times returns when the requests of each key came.
func (l *replayLog) times() [][]int64 {
	times := make([][]int64, l.log.Keys.Len())
	for _, r := range l.log.Records {
		times[r.Key] = append(times[r.Key], r.At)
	}
	return times
}

// arrivals writes the log as the CSV that decide reads, with other costs where
// cost says so.
func (l *replayLog) arrivals(cost func(row int) int64) []byte {
	var text []byte
	text = append(text, "t,key,cost\n"...)
	for i, r := range l.log.Records {
		text = logs.AppendSeconds(text, r.At)
		text = append(text, ',')
		text = logs.AppendField(text, l.log.Keys.Text(r.Key))
		text = fmt.Appendf(text, ",%d\n", cost(i))
	}
	return text
}

// readReplayLog reads a log that comes with the program, by its name, or a file.
func readReplayLog(name string) (*replayLog, error) {
	text, err := replayText(name)
	if err != nil {
		return nil, err
	}
	log, err := logs.Read([]string{"-"}, logs.Options{Stdin: bytes.NewReader(text)})
	if err == nil && log.Bad > 0 && log.Files[0].Format == logs.CSV {
		bad := log.BadLines[0]
		err = &logs.InputError{Line: bad.Line, Err: errors.New(bad.Reason)}
	}
	var input *logs.InputError
	if errors.As(err, &input) {
		input.File = name
	}
	if err != nil {
		return nil, err
	}
	if log.Records[0].At < 0 {
		return nil, &logs.InputError{File: name, Err: fmt.Errorf("its first request comes at %s s; want none before 0", logs.FormatSeconds(log.Records[0].At))}
	}
	digest := sha256.Sum256(text)
	return &replayLog{digest: hex.EncodeToString(digest[:]), log: log}, nil
}

func replayText(name string) ([]byte, error) {
	if text, ok := logs.ShippedText(name); ok {
		return []byte(text), nil
	}
	file, err := logs.OpenFile(name)
	if err != nil {
		return nil, fmt.Errorf("%w; name a file, or a log that comes with the program: %s", err, strings.Join(logs.Shipped, ", "))
	}
	defer func() { _ = file.Close() }()
	text, err := io.ReadAll(file)
	if err != nil {
		return nil, &logs.InputError{File: name, Err: err}
	}
	return text, nil
}

// replayLogs holds the logs that are in use, by name: all cells of a run see
// the text whose digest is in their keys, whatever becomes of the file.
var replayLogs struct {
	sync.Mutex
	held map[string]*replayLog
}

// holdReplayLog returns a log that is held; it is read if it is not, or if it
// is to be read anew.
func holdReplayLog(name string, anew bool) (*replayLog, error) {
	replayLogs.Lock()
	defer replayLogs.Unlock()
	if l, ok := replayLogs.held[name]; ok && !anew {
		return l, nil
	}
	l, err := readReplayLog(name)
	if err != nil {
		return nil, err
	}
	if replayLogs.held == nil {
		replayLogs.held = make(map[string]*replayLog)
	}
	replayLogs.held[name] = l
	return l, nil
}

// isShipped reports whether a log comes with the program, and never changes.
func isShipped(name string) bool {
	_, ok := logs.ShippedText(name)
	return ok
}

// replayLogCheck refuses a log that can not be read. Those of the program are
// tested with it.
func replayLogCheck(name string) error {
	if isShipped(name) {
		return nil
	}
	_, err := holdReplayLog(name, true)
	return err
}

// replayContent is the digest of a log.
func replayContent(factor, value string) (string, error) {
	if factor != "log" || value == "" {
		return "", nil
	}
	l, err := holdReplayLog(value, !isShipped(value))
	if err != nil {
		return "", err
	}
	return "sha256:" + l.digest, nil
}
