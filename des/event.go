package des

// Handler is what an event happens to.
type Handler interface {
	// Handle runs one event at s.Now(). The tag is the one that the event was
	// scheduled with. It says which of the handler's events this is, and for
	// which of the things it looks after; its meaning is the handler's own.
	Handle(s *Sim, tag uint64)
}

// Event is a handle to a pending event of one Sim: the index of its slot and the
// generation of the slot's use. The zero Event never refers to anything. A
// handle must not be given to another Sim than the one it came from.
type Event struct {
	slot, generation uint32
}
