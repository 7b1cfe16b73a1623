package fit

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
)

// Names gives keys the text that reports show.
type Names func(text string) string

// Anonymous replaces texts by what HMAC-SHA256 makes of them under a salt, 16 hexadecimal digits: the same text has the
// same name wherever the salt is the same, and without the salt no list of addresses finds it. With an empty salt one is
// drawn that nobody knows.
func Anonymous(salt string) Names {
	key := []byte(salt)
	if salt == "" {
		key = make([]byte, 32)
		_, _ = rand.Read(key) // never fails
	}
	return func(text string) string {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(text))
		return "key-" + hex.EncodeToString(mac.Sum(nil))[:16]
	}
}
