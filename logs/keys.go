package logs

// Keys numbers the texts of keys from 0, in the order of their first appearance. The zero value is empty.
type Keys struct {
	ids   map[string]uint32
	texts []string
}

// ID returns the number of a key, a new one if the text is new. It allocates only then.
func (k *Keys) ID(text []byte) uint32 {
	if id, known := k.ids[string(text)]; known {
		return id
	}
	if k.ids == nil {
		k.ids = map[string]uint32{}
	}
	id := uint32(len(k.texts))
	owned := string(text)
	k.texts = append(k.texts, owned)
	k.ids[owned] = id
	return id
}

// Text returns the text of a key that ID has numbered.
func (k *Keys) Text(id uint32) string { return k.texts[id] }

// Texts returns the texts of all keys, in the order of their numbers.
func (k *Keys) Texts() []string { return k.texts }

// Len returns the number of keys.
func (k *Keys) Len() int { return len(k.texts) }
