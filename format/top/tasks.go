package top

import (
	"time"

	"stacksnap/format/profile/headline"
)

// The bounds of how often tasks are read, which delays samples.
const (
	tasksEvery = 5 * time.Second
	tasksPart  = 50 // reading them takes at most 1/tasksPart of the time
)

// readTasks reads the tasks that no thread runs, if it is time. It is called by the sampling alone.
func (b *Board) readTasks(s *Sample) {
	if s.Tasks == nil || s.Time.Before(b.nextTasks) {
		return
	}
	began, sentence := time.Now(), ""
	if most := headline.MostTasks(s.Tasks()); most != nil {
		sentence = b.words.Tasks(most)
	}
	b.nextTasks = s.Time.Add(max(tasksEvery, tasksPart*time.Since(began)))
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting = sentence
}

// tasksLine returns the line on waiting tasks; none if there is nothing to say.
func tasksLine(d *data, width int) []line {
	if d.waiting == "" {
		return nil
	}
	return []line{text(clippedAtWord(d.waiting, width), strong)}
}
