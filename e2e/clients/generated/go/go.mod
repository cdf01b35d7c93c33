module generated

go 1.26
