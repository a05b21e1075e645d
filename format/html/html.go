package html

import (
	"bufio"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"io"
	"strings"

	"stacksnap/format/profile"
	"stacksnap/format/report"
	"stacksnap/format/words"
)

// assets are the parts of the page.
//
//go:embed page
var assets embed.FS

// scripts are the parts of the page's script, in order. They share one scope.
var scripts = []string{
	"data.js", "tree.js", "colors.js", "layout.js", "flame.js", "pointer.js", "details.js", "search.js",
	"compare.js", "table.js", "threads.js", "timeline.js", "range.js", "deadlocks.js", "tasks.js", "facts.js", "controls.js", "keys.js", "main.js",
}

// Write writes profiles or a comparison as one page.
func Write(w io.Writer, r *report.Report, o words.Options) error {
	if c := r.Diff; c != nil {
		return page(w, words.DiffTitle(c), words.DiffHeadline(c), func(d *data) { d.diff(c) })
	}
	g := r.Group.Each(func(p *profile.Profile) *profile.Profile {
		if p.Sampled() { // each thread has times of its own
			return p
		}
		return o.Folded(p)
	})
	return page(w, words.GroupTitle(g), summary(g), func(d *data) { d.group(g) })
}

// page writes a page. write writes its data.
func page(w io.Writer, title, summary string, write func(*data)) error {
	style, script, body, err := parts()
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 64<<10)
	fmt.Fprintf(out, head, policy(script, style), escape(title), style)
	_, _ = out.WriteString(body) // the buffer keeps the error for Flush
	fmt.Fprintf(out, "<noscript><p>%s</p></noscript>\n", escape(summary))
	_, _ = out.WriteString("<script type=\"application/json\" id=\"data\">")
	write(newData(out))
	fmt.Fprintf(out, "</script>\n<script>%s</script>\n</body>\n</html>\n", script)
	return out.Flush()
}

const head = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="%s">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>%s</title>
<style>%s</style>
</head>
`

// policy returns a content security policy that allows the page's own script and style, by
// their hashes, and no request (Content Security Policy Level 3, 6.7.2).
func policy(script, style string) string {
	return fmt.Sprintf("default-src 'none'; script-src '%s'; style-src '%s'; base-uri 'none'; form-action 'none'", hash(script), hash(style))
}

func hash(source string) string {
	sum := sha256.Sum256([]byte(source))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// escape escapes a text for HTML. (Package html of the standard library would add a table
// of all named characters, as large as this page.)
func escape(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;").Replace(text)
}

// parts returns the style, script and body, which are the same in every page.
func parts() (style, script, body string, err error) {
	if style, err = asset("style.css"); err != nil {
		return "", "", "", err
	}
	if body, err = asset("body.html"); err != nil {
		return "", "", "", err
	}
	var all strings.Builder
	all.WriteString("(function () {\n\"use strict\";\n")
	for _, name := range scripts {
		part, err := asset(name)
		if err != nil {
			return "", "", "", err
		}
		all.WriteString(part)
	}
	all.WriteString("}());\n")
	return style, all.String(), body, nil
}

func asset(name string) (string, error) {
	text, err := assets.ReadFile("page/" + name)
	if err != nil {
		return "", fmt.Errorf("part of the page: %w", err)
	}
	return string(text), nil
}

// summary returns the headline of the page.
func summary(g *profile.Group) string {
	if len(g.Profiles) == 1 {
		return words.Headline(g.Profiles[0])
	}
	return words.GroupHeadline(g)
}
