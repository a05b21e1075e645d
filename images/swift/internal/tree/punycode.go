package tree

import (
	"slices"
	"unicode/utf8"
)

// The parameters of Punycode, RFC 3492. Swift writes _ as the delimiter, and A to J
// for the digits 26 to 35.
const (
	punycodeBase        = 36
	punycodeMinimum     = 1
	punycodeMaximum     = 26
	punycodeSkew        = 38
	punycodeDamp        = 700
	punycodeInitialBias = 72
	punycodeInitialRune = 0x80
	punycodeDelimiter   = '_'
	maxPunycode         = 1 << 11 // bytes; each one inserts a character, which moves those after it
)

// Swift allows some ASCII characters in identifiers that assemblers do not. They are
// encoded as code points that are higher by nonSymbolFirst.
const (
	nonSymbolFirst = 0xD800
	nonSymbolLast  = nonSymbolFirst + 0x7F
)

// DecodePunycode decodes an identifier to UTF-8. It reports false if the encoding is
// invalid.
func DecodePunycode(encoded string) (string, bool) {
	if len(encoded) > maxPunycode {
		return "", false
	}
	basic, deltas := "", encoded
	for i := len(encoded) - 1; i >= 0; i-- {
		if encoded[i] == punycodeDelimiter {
			basic, deltas = encoded[:i], encoded[i+1:]
			break
		}
	}
	runes := make([]rune, 0, len(encoded))
	for i := range len(basic) {
		if basic[i] >= utf8.RuneSelf {
			return "", false
		}
		runes = append(runes, rune(basic[i]))
	}
	runes, ok := insertDeltas(runes, deltas)
	if !ok {
		return "", false
	}
	return punycodeString(runes)
}

// insertDeltas inserts the characters beyond ASCII.
func insertDeltas(runes []rune, deltas string) ([]rune, bool) {
	r, at, bias := punycodeInitialRune, 0, punycodeInitialBias
	for deltas != "" {
		delta, rest, ok := punycodeDelta(deltas, bias)
		if !ok {
			return nil, false
		}
		deltas = rest
		bias = adaptBias(delta, len(runes)+1, at == 0)
		at += delta
		r += at / (len(runes) + 1)
		at %= len(runes) + 1
		if r > utf8.MaxRune {
			return nil, false
		}
		runes = slices.Insert(runes, at, rune(r))
		at++
	}
	return runes, true
}

// punycodeDelta reads a variable-length number.
func punycodeDelta(deltas string, bias int) (_ int, rest string, ok bool) {
	delta, weight := int64(0), int64(1)
	for k := punycodeBase; deltas != ""; k += punycodeBase {
		digit := punycodeDigit(deltas[0])
		deltas = deltas[1:]
		if digit < 0 || weight > 1<<31 {
			return 0, "", false
		}
		delta += int64(digit) * weight
		threshold := min(max(k-bias, punycodeMinimum), punycodeMaximum)
		if digit < threshold {
			return int(delta), deltas, delta < 1<<30 // added to a length, it fits 32 bits
		}
		weight *= int64(punycodeBase - threshold)
	}
	return 0, "", false
}

func punycodeDigit(c byte) int {
	switch {
	case IsLower(c):
		return int(c - 'a')
	case c >= 'A' && c <= 'J':
		return int(c-'A') + 26
	}
	return -1
}

func adaptBias(delta, points int, first bool) int {
	if first {
		delta /= punycodeDamp
	} else {
		delta /= 2
	}
	delta += delta / points
	k := 0
	for delta > (punycodeBase-punycodeMinimum)*punycodeMaximum/2 {
		delta /= punycodeBase - punycodeMinimum
		k += punycodeBase
	}
	return k + (punycodeBase-punycodeMinimum+1)*delta/(delta+punycodeSkew)
}

func punycodeString(runes []rune) (string, bool) {
	b := make([]byte, 0, 2*len(runes))
	for _, r := range runes {
		if r >= nonSymbolFirst && r <= nonSymbolLast {
			r -= nonSymbolFirst
		}
		if !utf8.ValidRune(r) {
			return "", false
		}
		b = utf8.AppendRune(b, r)
	}
	return string(b), true
}
