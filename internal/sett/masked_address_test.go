package sett

import "testing"

func TestMaskAddress(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                   "",
		"Ask ann@example.test":               "Ask ann@example.test",
		"ann:open@shop.test":                 "ann:open@shop.test", // no address: nothing is checked there
		"https://shop.test":                  "https://shop.test",
		"https://shop.test/a@b?c=d@e#f":      "https://shop.test/a@b?c=d@e#f",
		"https://ann:open@shop.test":         "https://[hidden]@shop.test",
		"https://ann@shop.test:8443/":        "https://[hidden]@shop.test:8443/", // a token may stand there alone
		"https://ann:op@en@shop.test?x":      "https://[hidden]@shop.test?x",
		"https://ann:open@shop.test#x":       "https://[hidden]@shop.test#x",
		"https://shop.test?a=b&API_KEY=x":    "https://shop.test?a=b&API_KEY=[hidden]",
		"https://shop.test/?to%6ben=x=y&c":   "https://shop.test/?to%6ben=[hidden]&c",
		"https://shop.test/?%zz=x&token&a=b": "https://shop.test/?%zz=[hidden]&token&a=b",
		"https://shop.test/?a=b#?token=x":    "https://shop.test/?a=b#?token=x", // is never sent
	} {
		if got := maskAddress(text); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", text, got, want)
		}
	}
}
