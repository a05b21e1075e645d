# failed.awk LOG: what go test printed of each test that failed, with -v or without.
# A long log is shown from its end only, where a test's own lines are long past.
function show(name) { if (name in said) { printf "%s", said[name]; delete said[name] } }

/^=== (RUN|CONT|NAME|PAUSE) / { current = $3; inside = 0; next }
/^ *--- (FAIL|NOT ENDED|SKIP NOT EXPECTED): / {
	print
	show($3)
	inside = 1
	next
}
/^ *--- (PASS|SKIP): / { delete said[$3]; inside = 0; next }
/^(FAIL|ok|panic:|=== |# |\?)/ {
	current = ""
	inside = 0
	if (/^(FAIL\t|panic:|# )/) print
	next
}
inside && /^ / { print; next }
current != "" { said[current] = said[current] $0 "\n"; next }
{ inside = 0 }
