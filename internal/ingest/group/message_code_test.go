package group

import "testing"

func TestPlainMessage(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"Request failed with status code 404": "Request failed with status code 404", "Request failed with status code 500": "Request failed with status code 500",
		"HTTP 503 from upstream after 31 tries": "HTTP 503 from upstream after <number> tries", "502 Bad Gateway": "502 Bad Gateway", "got 404 from bank": "got 404 from bank", "upstream answered with 429": "upstream answered with 429", "[404] no such order": "[404] no such order", "Invalid response: 500": "Invalid response: 500",
		"got 404 items": "got <number> items", "HTTP/1.1 503 Service Unavailable": "HTTP/<number> 503 Service Unavailable",
		"took 502 ms":                  "took <number> ms",
		"[Errno 13] Permission denied": "[Errno 13] Permission denied", "exit status 1": "exit status 1", "command exited with code 137": "command exited with code 137",
		"ORA-00942: table or view does not exist": "ORA-00942: table or view does not exist", "SQLSTATE[42S02]: Base table": "SQLSTATE[42S02]: Base table", "ERROR 1062 (23000): Duplicate": "ERROR 1062 (<number>): Duplicate",
		"Minified React error #418; visit": "Minified React error #418; visit", "HRESULT 0x80004005": "HRESULT 0x80004005", "at 0x7ffe8000": "at <number>", "E11000 duplicate key": "E11000 duplicate key",
		`{"code":-32000,"message":"header"}`: `{'code':32000,'message':<text>}`, "error code 48213": "error code 48213",
		"Timeout after 5003ms for user 4711": "Timeout after <number>ms for user <number>", "order 4711 is gone": "order <number> is gone",
		"No such customer: cus_NffrFeUfNV2Hib": "No such customer: cus_<id>", "lost V1StGXR8_Z5jdHi6B-myT again": "lost <id> again",
		"undefined method 'name' for nil": "undefined method 'name' for nil", "undefined method `name' for nil": "undefined method 'name' for nil", "Unknown column 'price' in 'field list'": "Unknown column 'price' in <text>",
		"'sku'": "'sku'", "Cannot read properties of undefined (reading 'price')": "Cannot read properties of undefined (reading 'price')", `relation "users" does not exist`: "relation 'users' does not exist",
		"Duplicate entry 'ann@example.org' for key 'users.email'": "Duplicate entry <text> for key 'users.email'", "no user 'ann' here": "no user <text> here", "coupon 'SUMMER24' is over": "coupon <text> is over",
		"no module named 'x2y'": "no module named <text>", "Key 'a b' missing": "Key <text> missing",
	} {
		if got := plainMessage(in); got != want {
			t.Errorf("plainMessage(%q) = %q, want %q", in, got, want)
		}
	}
}
