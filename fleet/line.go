package fleet

// line is calls one after another. A call stands in one line at most.
type line struct{ first, last Call }

func (l *line) empty() bool { return l.first == 0 }

// push makes a call the last of a line.
func (c *calls) push(l *line, call Call) {
	slot := c.at(call)
	slot.ahead, slot.behind = l.last, 0
	if l.last == 0 {
		l.first = call
	} else {
		c.at(l.last).behind = call
	}
	l.last = call
}

// pop takes the first of a line, which must not be empty.
func (c *calls) pop(l *line) Call {
	call := l.first
	if l.first = c.at(call).behind; l.first == 0 {
		l.last = 0
	} else {
		c.at(l.first).ahead = 0
	}
	return call
}

// popLast takes the last of a line, which must not be empty.
func (c *calls) popLast(l *line) Call {
	call := l.last
	if l.last = c.at(call).ahead; l.last == 0 {
		l.first = 0
	} else {
		c.at(l.last).behind = 0
	}
	return call
}
