package elf

import (
	"os"
	"testing"
)

func TestLoadSelf(t *testing.T) {
	placed, errs := Load(openLive(t, os.Getpid()))
	for _, e := range errs {
		t.Error(e)
	}
	for _, p := range placed {
		t.Log(p.Path, p.Load, p.Slide, p.Main, p.Note)
	}
}
