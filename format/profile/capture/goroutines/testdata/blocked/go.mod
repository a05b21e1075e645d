module blocked

go 1.18
