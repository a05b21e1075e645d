package analysis
import ("testing";"debug/elf";"os")
func TestZZ(t *testing.T){ p:=os.Getenv("F"); f,_:=elf.Open(p); m:=&amd64; if f.Machine==elf.EM_AARCH64{m=&arm64}
 n:=0
 for _,fd:=range frames(t,p){ if fd.at(fd.start).cfaOff!=int64(m.pushed()){continue}; var w walk; w.machine=m; w.code=codeOf(f,fd.start,fd.end); if len(w.code)==0{continue}; if err:=w.run(); err==ErrUnbalanced { for i:=range w.blocks { b:=&w.blocks[i]; if b.seen&&b.bad&& n<40  { n++; t.Logf("fn %x..%x block %x guessed %v weak %v in sp %v fp %v",fd.start,fd.end,fd.start+uint64(b.off),b.guessed,b.weak,b.in.reg[m.sp],b.in.reg[m.fp]); break}}}}}
