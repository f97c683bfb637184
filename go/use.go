package hashlanes

import "sync/atomic"

// inUse finds goroutines that use one hasher at the same time. They would wait for each other
// forever, or get a digest of neither message.
type inUse struct{ by atomic.Bool }

// begin begins a call, which must end with end. It panics if another call has not ended. That one
// goes on undisturbed.
func (u *inUse) begin() {
	if u.by.Swap(true) {
		panic("hashlanes: a hasher is used concurrently: guard it with a lock")
	}
}

// end ends a call.
func (u *inUse) end() { u.by.Store(false) }
