package des

import (
	"fmt"
	"time"
)

// Failure is what Run and Step panic with when a handler panics.
type Failure struct {
	At      time.Duration // simulated time
	Handler Handler       // that panicked
	Tag     uint64        // of the event that it was handling
	Err     any           // what it panicked with
}

// Error says where in the simulation the panic happened, and what it was.
func (f *Failure) Error() string {
	return fmt.Sprintf("des: at %v, %s, tag %d: %v", f.At, describe(f.Handler), f.Tag, f.Err)
}

// Unwrap returns what the handler panicked with if that is an error.
func (f *Failure) Unwrap() error {
	err, _ := f.Err.(error)
	return err
}

// PastError is what At, After and Reschedule panic with when the time that is
// asked for has passed.
type PastError struct {
	Now     time.Duration // simulated time
	At      time.Duration // that was asked for
	Handler Handler       // of the event
	Tag     uint64        // of the event
}

// Error says what was to be scheduled, when, and what time it is.
func (e *PastError) Error() string {
	return fmt.Sprintf("des: event of %s, tag %d, scheduled at %v, which is before the simulated time %v",
		describe(e.Handler), e.Tag, e.At, e.Now)
}

// describe names a handler by its type, and by its own words if it has some.
func describe(h Handler) string {
	if named, ok := h.(fmt.Stringer); ok {
		return fmt.Sprintf("%T (%s)", h, named)
	}
	return fmt.Sprintf("%T", h)
}
