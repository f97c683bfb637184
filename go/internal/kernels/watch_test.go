package kernels

import "unsafe"

// Watch calls each with the number of rows of every family that are worth a call on this CPU, and
// forces them one after the other: all calls of a kernel then call note with their cycles.
func Watch(note func(cycles int), each func(f Family, row string)) {
	for f := range families {
		c := f.Choice()
		rows, best := append([]Row{}, c.rows...), c.best
		for i := range c.rows {
			c.rows[i].watch(sizes[f].blocks[0], note)
		}
		for _, row := range rows {
			if row.Cycles() < 1<<16-1 {
				c.force(row.Name)
				each(f, row.Name)
			}
		}
		copy(c.rows, rows)
		c.best = best
	}
}

// watch calls note before each call.
func (r *Row) watch(block int, note func(cycles int)) {
	row := *r
	watched := func(run func(unsafe.Pointer, *unsafe.Pointer, int, int)) func(
		unsafe.Pointer, *unsafe.Pointer, int, int) {
		if run == nil {
			return nil
		}
		return func(states unsafe.Pointer, data *unsafe.Pointer, blocks, mode int) {
			// A single block cannot be cut.
			if blocks > 1 {
				note(blocks * row.Cycles())
			}
			run(states, data, blocks, mode)
		}
	}
	r.run, r.long = watched(row.run), watched(row.long)
	if row.whole != nil {
		r.whole = func(messages *Messages) {
			calls := (messages.Count + row.Lanes - 1) / row.Lanes
			note(calls * (messages.Length/block + 1) * row.Cycles())
			row.whole(messages)
		}
	}
}
