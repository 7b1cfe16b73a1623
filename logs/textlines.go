package logs

// textLines reads a file of which every line is a request.
type textLines struct {
	lines lineReader
	parse lineParser
	bad   badLines
}

// lineParser reads a request from one line. With its error comes the value at fault.
type lineParser interface {
	request(line []byte, r *request) (value []byte, err error)
	clock() *timestamps
}

func (t *textLines) clock() *timestamps { return t.parse.clock() }

func (t *textLines) next(r *request) error {
	for {
		raw, err := t.lines.next()
		if err == errLongLine {
			t.bad = badLines{t.lines.line, 1, err, nil}
			return &t.bad
		} else if err != nil {
			return err
		}
		if t.lines.line == 1 {
			raw = trimMark(raw)
		}
		line := trimEnd(raw)
		if len(line) == 0 {
			continue
		}
		if value, err := t.parse.request(line, r); err != nil {
			t.bad = badLines{t.lines.line, 1, err, value}
			return &t.bad
		}
		return nil
	}
}
