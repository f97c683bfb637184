module hashlanes

go 1.24
