package app

import "strconv"

// Size writes a number of bytes in its largest unit: "3.4 MB".
func Size(n int64) string {
	if n < 1000 {
		return strconv.FormatInt(n, 10) + " bytes"
	}
	value, unit := float64(n), ""
	for _, unit = range []string{"kB", "MB", "GB", "TB"} {
		if value /= 1000; value < 1000 {
			break
		}
	}
	return strconv.FormatFloat(value, 'f', 1, 64) + " " + unit
}
