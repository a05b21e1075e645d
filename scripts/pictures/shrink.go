package main

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"slices"
)

// maxColors is how many colours a PNG with a palette has.
const maxColors = 256

// shrink writes a PNG anew with a palette of its commonest colours, which is a third
// as large.
func shrink(path string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	picture, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		return err
	}
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(&out, withPalette(picture)); err != nil {
		return err
	}
	return os.WriteFile(path, out.Bytes(), 0o644)
}

// withPalette has the picture in its commonest colours.
func withPalette(picture image.Image) *image.Paletted {
	bounds := picture.Bounds()
	all := commonest(picture)
	indexes := map[color.RGBA]uint8{} // of the nearest in the palette
	out := image.NewPaletted(bounds, all)
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			c := rounded(picture.At(x, y))
			index, ok := indexes[c]
			if !ok {
				index = uint8(all.Index(c))
				indexes[c] = index
			}
			out.SetColorIndex(x, y, index)
		}
	}
	return out
}

// commonest are the colours of most points.
func commonest(picture image.Image) (all color.Palette) {
	bounds := picture.Bounds()
	points := map[color.RGBA]int{}
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			points[rounded(picture.At(x, y))]++
		}
	}
	order := slices.SortedFunc(maps.Keys(points), func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(points[b], points[a]), cmp.Compare(value(a), value(b)))
	})
	for _, c := range order[:min(maxColors, len(order))] {
		all = append(all, c)
	}
	return all
}

// rounded is a colour with five bits of each channel.
func rounded(c color.Color) color.RGBA {
	r, g, b, _ := c.RGBA()
	five := func(v uint32) uint8 { return uint8((v >> 11) * 255 / 31) }
	return color.RGBA{five(r), five(g), five(b), 255}
}

// value is a colour as a number.
func value(c color.RGBA) int { return int(c.R)<<16 | int(c.G)<<8 | int(c.B) }
