module onthreads

go 1.18
