package diff

import (
	"math"
	"slices"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// The noise of a diff is the difference that two captures of the same program may show. Samples
// that are close in time are alike, so treating them as independent would underestimate it. The
// time of each side is therefore cut into blocks, and the variance of a share follows from how
// it varies from block to block: the batch means of simulation (Law, Simulation Modeling and
// Analysis, chapter 9), with the variance of a ratio of sums (Cochran, Sampling Techniques,
// chapter 6). It is never less than that of independent samples. A margin is half of a
// confidence interval, by Student's t with the degrees of freedom of Welch and Satterthwaite.
// All functions are judged at once: the chance that any function of an unchanged program is
// taken for changed is at most 1 - confidence, by Bonferroni's bound.
const (
	Confidence    = 95 // percent, for all functions together
	confidence    = Confidence / 100.
	maxBlocks     = 20
	perBlock      = 5    // the least number of snapshots in a block
	leastBlocks   = 6    // fewer blocks say too little
	leastJudged   = .001 // fraction of the whole that a function must have to be counted as judged
	independentDF = 1e6
)

// Noise says how the margins of functions were computed.
type Noise struct {
	Known bool // false: a side is a single snapshot, and there are no margins
	// Before and After are the numbers of blocks of time on each side. 0 means that the side has
	// no times of samples, or too few, and that its samples were taken to be independent.
	Before, After int
	Most          float64 // the largest margin of a function's own amount, after scaling by [Diff.Scale]
}

// Margin is how much a function's amounts can differ by chance alone, after scaling by
// [Diff.Scale].
type Margin struct{ Self, Total float64 }

// Beyond reports whether an amount has changed by more than a margin.
func (d *Diff) Beyond(a Amount, margin float64) bool { return math.Abs(d.Change(a)) > margin }

// Changed reports whether a function has changed beyond noise, by itself or with everything that
// it calls.
func (d *Diff) Changed(f Function) bool {
	return d.Beyond(f.Self, f.Margin.Self) || d.Beyond(f.Total, f.Margin.Total)
}

// findNoise sets the margins of the functions, which m has numbered.
func (d *Diff) findNoise(m *merging, before, after *profile.Profile) {
	if before.Snapshots == 1 || after.Snapshots == 1 {
		return
	}
	sides := [2]*blocks{m.blocks(before), m.blocks(after)}
	d.Noise = Noise{Known: true, Before: sides[0].count, After: sides[1].count}
	judged := 1
	for _, f := range d.Functions {
		if d.part(f.Total) >= leastJudged {
			judged += 2
		}
	}
	tail := (1 - confidence) / 2 / float64(judged)
	for i := range d.Functions {
		f := &d.Functions[i]
		f.Margin.Self = d.margin(f.Self, tail, sides, func(b *blocks) []float64 { return b.self[f.place] })
		f.Margin.Total = d.margin(f.Total, tail, sides, func(b *blocks) []float64 { return b.total[f.place] })
		d.Noise.Most = max(d.Noise.Most, f.Margin.Self)
	}
}

// part returns the larger of an amount's two fractions of its side's total.
func (d *Diff) part(a Amount) float64 {
	return max(float64(a.Before)/float64(max(d.Whole.Before, 1)), float64(a.After)/float64(max(d.Whole.After, 1)))
}

// margin returns the margin of an amount. get returns the amount's blocks on a side; tail is the
// probability of either end of the interval.
func (d *Diff) margin(a Amount, tail float64, sides [2]*blocks, get func(*blocks) []float64) float64 {
	var values, wholes [2]float64
	values[0], values[1] = d.Value(a)
	wholes[0], wholes[1] = d.Value(d.Whole)
	if wholes[0] <= 0 || wholes[1] <= 0 {
		return 0
	}
	pooled := min((values[0]/wholes[0]+values[1]/wholes[1])/2, 1)
	var sum, squares float64
	for i, b := range sides {
		v := values[i] * values[i] * b.relative(get(b), d.Scale == ToTotal)
		df := float64(b.count - 1)
		if least := wholes[i] * wholes[i] * d.spread(pooled) / max(b.samples, 1); v < least {
			v, df = least, independentDF
		}
		sum += v
		squares += v * v / df
	}
	if sum == 0 {
		return 0
	}
	return student(tail, sum*sum/squares) * math.Sqrt(sum)
}

// spread returns the variance of whether one sample belongs to that fraction of all: binomial
// for shares of a total; otherwise by Poisson's distribution, because the number of samples may
// differ, too.
func (d *Diff) spread(part float64) float64 {
	if d.Scale == ToTotal {
		return part * (1 - part)
	}
	return part
}

// blocks has the amounts in each of count periods of equal length; self and total have them by
// function.
type blocks struct {
	count       int // 0: the times of samples are not known
	samples     float64
	whole       []float64
	self, total map[int][]float64
}

// blocks computes the amounts of a side's functions, in all of its threads, in each block of
// time.
func (m *merging) blocks(p *profile.Profile) *blocks {
	b := &blocks{samples: m.samples(p), self: map[int][]float64{}, total: map[int][]float64{}}
	if count := min(maxBlocks, p.Snapshots/perBlock); count >= leastBlocks && p.HasTimeline() && p.Duration() > 0 {
		b.count = count
	}
	if b.count == 0 {
		return b
	}
	b.whole = make([]float64, b.count)
	m.known = map[called]int{}
	for _, t := range p.Original().Threads {
		m.moments(p.Original(), t, b, func(_ *profile.Node, at int, amount float64) { b.whole[at] += amount })
	}
	for _, t := range p.Threads {
		own := map[*profile.Node][]float64{}
		m.moments(p, t, b, func(n *profile.Node, at int, amount float64) {
			if own[n] == nil {
				own[n] = make([]float64, b.count)
			}
			own[n][at] += amount
		})
		b.addThread(m, p, t, own)
	}
	return b
}

// moments calls add for each sample of a thread, with its amount and the index of its block.
func (m *merging) moments(p *profile.Profile, t *profile.Thread, b *blocks, add func(n *profile.Node, at int, amount float64)) {
	for s := range p.Moments(t) {
		amount := 1.
		if m.Measure == ByCPU {
			amount = max(0, float64(s.CPU))
		}
		at := int(int64(s.At) * int64(b.count) / int64(p.Duration()))
		if amount > 0 {
			add(s.Node, min(at, b.count-1), amount)
		}
	}
}

// addThread adds the amounts that ended at the nodes of a thread: to the nodes' functions as
// self, and to each function on the stack once as total.
func (b *blocks) addThread(m *merging, p *profile.Profile, t *profile.Thread, own map[*profile.Node][]float64) {
	var path []int
	for depth, n := range t.Nodes() {
		path = append(path[:depth], m.place(p, n))
		amounts := own[n]
		if amounts == nil {
			continue
		}
		addTo(b.self, path[depth], amounts)
		for i, place := range path {
			if !slices.Contains(path[:i], place) {
				addTo(b.total, place, amounts)
			}
		}
	}
}

func addTo(sums map[int][]float64, place int, amounts []float64) {
	if sums[place] == nil {
		sums[place] = make([]float64, len(amounts))
	}
	for i, a := range amounts {
		sums[place][i] += a
	}
}

// relative returns the variance of a sum of amounts, divided by the square of the sum. It
// follows from how the amounts vary from block to block, as shares of each block's whole or by
// themselves. It is 0 if the sum is 0.
func (b *blocks) relative(amounts []float64, ofWhole bool) float64 {
	var sum, whole, squares float64
	for i, x := range amounts {
		sum += x
		whole += b.whole[i]
	}
	if sum == 0 {
		return 0
	}
	for i, x := range amounts {
		expected := sum / float64(b.count)
		if ofWhole {
			expected = sum / whole * b.whole[i]
		}
		squares += (x - expected) * (x - expected)
	}
	return squares * float64(b.count) / float64(b.count-1) / (sum * sum)
}

// samples returns the number of samples that the measure is based on. For CPU time these are the
// samples of running threads, if they are known.
func (m *merging) samples(p *profile.Profile) float64 {
	ran := 0
	for _, t := range p.Original().Threads {
		ran += t.States[task.Running] * t.Weight()
	}
	if m.Measure == ByCPU && ran > 0 {
		return float64(ran)
	}
	return float64(whole(p, BySamples))
}

// student returns the value that Student's t exceeds with the probability tail, which must be
// below one half. It uses the expansion of Abramowitz and Stegun, 26.7.5, whose error is below
// 0.01 from 5 degrees of freedom on.
func student(tail, df float64) float64 {
	x := math.Sqrt2 * math.Erfinv(1-2*tail)
	x2 := x * x
	g1 := x * (x2 + 1) / 4
	g2 := x * ((5*x2+16)*x2 + 3) / 96
	g3 := x * (((3*x2+19)*x2+17)*x2 - 15) / 384
	g4 := x * ((((79*x2+776)*x2+1482)*x2-1920)*x2 - 945) / 92160
	return x + ((g4/df+g3)/df+g2)/df/df + g1/df
}
