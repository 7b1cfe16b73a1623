package logs

import (
	"bytes"
	"errors"
)

// logLine is one line of a web server's log. Its parts are slices of the line, with the escapes that the server wrote
// (\" or \x22) left as they are: they serve as names, and unescaping could make two of them one.
type logLine struct {
	at       int64 // ns since the Unix epoch
	client   []byte
	user     []byte
	request  []byte // GET /path?query HTTP/1.1, or whatever the client sent
	endpoint []byte // the path without its query; the whole request if it has none
	status   []byte
	size     []byte // bytes sent, or -
	referer  []byte // combined only
	agent    []byte // combined only
	more     []byte // what follows
}

// The faults of a log line.
var (
	errNoTime   = errors.New("want CLIENT IDENT USER " + logTime + ", found no such time")
	errNoQuote  = errors.New(`want the request in quotes after the time, as in "GET / HTTP/1.1"`)
	errStatus   = errors.New("want a status of three digits after the request")
	errSize     = errors.New("want the bytes sent, a number or -, after the status")
	errMixed    = errors.New("is in common format; want combined, with the referer and the user agent in quotes at the end of the line")
	errCombined = errors.New("want the referer and the user agent, each in quotes, at the end of the line")
)

// parseCommon reads CLIENT IDENT USER [TIME] "REQUEST" STATUS BYTES, the common log format, and returns what follows.
// The user may contain blanks and brackets, the request escaped quotes.
func parseCommon(line []byte, into *logLine) (rest []byte, err error) {
	space := bytes.IndexByte(line, ' ')
	if space <= 0 {
		return nil, errNoTime
	}
	into.client, rest = line[:space], line[space+1:]
	if space = bytes.IndexByte(rest, ' '); space <= 0 {
		return nil, errNoTime
	}
	rest = rest[space+1:]
	for from := 0; ; { // the first bracket that holds a time; a user's name may have others
		open := bytes.IndexByte(rest[from:], '[')
		if open < 0 || from+open+len(logTime) > len(rest) {
			return nil, errNoTime
		}
		open += from
		end := open + len(logTime)
		if rest[end-1] != ']' { // a fraction makes it longer, by a point and nine digits at most
			end += 1 + bytes.IndexByte(rest[end:min(end+len(".000000000"), len(rest))], ']')
		}
		if open > 0 && rest[open-1] == ' ' && rest[end-1] == ']' {
			if into.at, err = parseLogTime(rest[open+1 : end-1]); err == nil {
				into.user, rest = rest[:max(open-1, 0)], rest[end:]
				break
			} else if err != errTimestamp {
				return nil, err
			}
		}
		from = open + 1
	}
	if into.request, rest = quotedPart(rest); into.request == nil {
		return nil, errNoQuote
	}
	into.endpoint = endpointOf(into.request)
	if len(rest) < 4 || rest[0] != ' ' || rest[1]-'0' > 9 || rest[2]-'0' > 9 || rest[3]-'0' > 9 {
		return nil, errStatus
	}
	into.status, rest = rest[1:4], rest[4:]
	if len(rest) < 2 || rest[0] != ' ' {
		return nil, errSize
	}
	end := 1
	for end < len(rest) && rest[end]-'0' <= 9 {
		end++
	}
	if end == 1 && rest[1] == '-' {
		end = 2
	}
	if end == 1 || end < len(rest) && rest[end] != ' ' {
		return nil, errSize
	}
	into.size = rest[1:end]
	return rest[end:], nil
}

// parseCombined reads the common format with "REFERER" "AGENT" behind it. More fields may follow.
func parseCombined(line []byte, into *logLine) error {
	rest, err := parseCommon(line, into)
	if err != nil {
		return err
	}
	if len(rest) == 0 {
		return errMixed
	}
	if into.referer, rest = quotedPart(rest); into.referer == nil {
		return errCombined
	}
	if into.agent, rest = quotedPart(rest); into.agent == nil || len(rest) > 0 && rest[0] != ' ' {
		return errCombined
	}
	into.more = rest
	return nil
}

// quotedPart reads a blank and a text in quotes, in which a backslash escapes the next byte. Part is nil if there is
// none.
func quotedPart(text []byte) (part, rest []byte) {
	if len(text) < 3 || text[0] != ' ' || text[1] != '"' {
		return nil, nil
	}
	text = text[2:]
	for from := 0; ; {
		i := bytes.IndexByte(text[from:], '"')
		if i < 0 {
			return nil, nil
		}
		i += from
		slashes := 0
		for slashes < i && text[i-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return text[:i:i], text[i+1:]
		}
		from = i + 1
	}
}

// endpointOf returns the path of a request line, without its query.
func endpointOf(request []byte) []byte {
	path := request
	if i := bytes.IndexByte(path, ' '); i >= 0 {
		path = path[i+1:]
		if i = bytes.IndexByte(path, ' '); i >= 0 {
			path = path[:i]
		}
	}
	if i := bytes.IndexByte(path, '?'); i >= 0 {
		path = path[:i]
	}
	return path
}

// methodOf returns the method of a request line.
func methodOf(request []byte) []byte {
	if i := bytes.IndexByte(request, ' '); i >= 0 {
		return request[:i]
	}
	return request
}
