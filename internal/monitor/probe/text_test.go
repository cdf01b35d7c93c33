package probe_test

import (
	"bytes"
	"compress/flate"
	"compress/zlib"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"

	"sett/internal/sett/checks"
	"sett/internal/setttest/target"
)

// encoded returns a text in an encoding.
func encoded(t *testing.T, e encoding.Encoding, text string) string {
	t.Helper()
	in, err := e.NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// typed answers with a page of a Content-Type; "" sends none.
func typed(contentType, page string) target.Behaviour {
	if contentType != "" {
		contentType = "Content-Type: " + contentType + "\r\n"
	}
	return target.Say(fmt.Sprintf("HTTP/1.1 200 OK\r\n%sContent-Length: %d\r\n\r\n%s", contentType, len(page), page))
}

// Text is found in every encoding that a page declares as browsers read it; in both match types, since a text that is not
// found passes for absent.
func TestCheckReadsEncodings(t *testing.T) {
	t.Parallel()
	const german, japan, china = "geöffnet – 5 €", "営業中です", "营业中"
	latin, windows := charmap.ISO8859_1, charmap.Windows1252
	little, big := unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	long := strings.Repeat("<!-- nothing that needs more than ASCII -->", 40) // 1720 bytes
	for name, tt := range map[string]struct {
		contentType, text, page string
	}{
		"latin-1 by header":        {"text/html; charset=ISO-8859-1", "geöffnet", encoded(t, latin, "<p>geöffnet")},
		"windows-1252 by header":   {"text/html;charset=\"windows-1252\"", german, encoded(t, windows, german)},
		"windows-1252 by latin-1":  {"text/plain; charset=latin1", german, encoded(t, windows, german)},
		"windows-1252, undeclared": {"text/html", german, encoded(t, windows, long+german)},
		"Shift_JIS by header":      {"text/html; charset=Shift_JIS", japan, encoded(t, japanese.ShiftJIS, japan)},
		"Shift_JIS by meta":        {"text/html", japan, `<html><meta charset="shift_jis">` + encoded(t, japanese.ShiftJIS, japan)},
		"Shift_JIS by a late meta": {"text/html", japan, long + `<META charset="shift_jis">` + encoded(t, japanese.ShiftJIS, japan)},
		"EUC-JP by http-equiv":     {"", japan, `<meta http-equiv="Content-Type" content="text/html; charset=euc-jp">` + encoded(t, japanese.EUCJP, japan)},
		"ISO-2022-JP":              {"text/html; charset=iso-2022-jp", japan, encoded(t, japanese.ISO2022JP, japan)},
		"GBK by header":            {"text/html; charset=gbk", china, encoded(t, simplifiedchinese.GBK, china)},
		"GB2312 by meta":           {"text/html", china, `<meta charset=gb2312>` + encoded(t, simplifiedchinese.GBK, china)},
		"GB18030 by XML":           {"application/xml", china, `<?xml version="1.0" encoding="gb18030"?>` + encoded(t, simplifiedchinese.GB18030, china)},
		"UTF-16LE by BOM":          {"text/html; charset=iso-8859-1", german, "\xff\xfe" + encoded(t, little, german)},
		"UTF-16BE by BOM":          {"", german, "\xfe\xff" + encoded(t, big, german)},
		"UTF-16 by header":         {"text/plain; charset=utf-16", german, encoded(t, little, german)},
		"UTF-16BE by header":       {"text/plain; charset=utf-16be", german, encoded(t, big, german)},
		"UTF-16, undeclared":       {"application/json", "open", encoded(t, big, `{"state":"open"}`)},
		"UTF-8 by BOM":             {"text/html; charset=iso-8859-1", german, "\ufeff" + german},
		"UTF-8 by header":          {"text/html; charset=utf-8", german, german},
		"UTF-8 by a wrong name":    {"text/html; charset=utf8mb4", german, german},
		"UTF-8, twice":             {"text/html; charset=utf-8; charset=utf-8", german, german},
		"UTF-8, undeclared":        {"text/html", german, long + german},
		"UTF-8, no type":           {"", german, german},
		"UTF-8 in JSON":            {"application/json", german, `{"html":"<meta charset=gbk>` + german + `"}`},
		"of an unknown charset":    {"text/html; charset=x-unknown", "open", "we are open"},
		"across many pieces":       {"text/html; charset=shift_jis", japan, encoded(t, japanese.ShiftJIS, strings.Repeat("あ", 16383)+"a"+japan)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site := target.Start(t, target.Options{})
			site.Every(typed(tt.contentType, tt.page))
			if r := check(t, open(), checks.ProbeRequest{URL: site.URL, MatchType: checks.MatchInclude, Match: tt.text}); r.Reason != "" {
				t.Errorf("include: %q", r.Reason)
			}
			r := check(t, open(), checks.ProbeRequest{URL: site.URL, MatchType: checks.MatchExclude, Match: tt.text})
			if want := fmt.Sprintf("Expected page not to include %q", tt.text); r.Reason != want {
				t.Errorf("exclude: %q", r.Reason)
			}
			if r := check(t, open(), checks.ProbeRequest{URL: site.URL, MatchType: checks.MatchExclude, Match: "\uFFFD"}); r.Reason != "" && !strings.Contains(name, "undeclared") && tt.contentType != "text/html; charset=x-unknown" {
				t.Errorf("it is read with mistakes: %q", r.Reason)
			}
		})
	}
}

// What cannot be read does not count as absent.
func TestCheckSaysWhatItCannotRead(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		answer target.Behaviour
		reason string
	}{
		"an unknown charset":   {typed("text/html; charset=utf-7", "+AGE-"), "Page has the charset utf-7, which cannot be read"},
		"a forbidden charset":  {typed("text/html; charset=hz-gb-2312", "~{"), "Page has the charset hz-gb-2312, which cannot be read"},
		"an unknown coding":    {target.Answer(200, "xxx", "Content-Encoding", "compress"), "Response body has the Content-Encoding compress, which cannot be read"},
		"too many codings":     {target.Answer(200, "xxx", "Content-Encoding", "br, br, br, br"), "Response body has the Content-Encoding br, br, br, br, which cannot be read"},
		"no brotli":            {target.Answer(200, "fine", "Content-Encoding", "br"), "Response body is not valid br, although its Content-Encoding says so"},
		"no zstd":              {target.Answer(200, "fine", "Content-Encoding", "zstd"), "Response body is not valid zstd, although its Content-Encoding says so"},
		"no deflate":           {target.Answer(200, "fine", "Content-Encoding", "deflate"), "Response body is not valid deflate, although its Content-Encoding says so"},
		"a broken gzip":        {target.Answer(200, packed("gzip", "all is well")[:18], "Content-Encoding", "gzip"), "Response body is not valid gzip, although its Content-Encoding says so"},
		"a broken connection":  {target.Say("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 100\r\n\r\n" + packed("gzip", "all is well")), "Connection closed before the response body was complete"},
		"nothing, compressed":  {target.Answer(200, "", "Content-Encoding", "br"), `Expected page to include "text"`},
		"a mistake for coding": {target.Answer(200, "fine", "Content-Encoding", "UTF-8"), `Expected page to include "text"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site := target.Start(t, target.Options{})
			site.Every(tt.answer)
			for _, match := range []checks.MatchType{checks.MatchInclude, checks.MatchExclude} {
				want := tt.reason
				if match == checks.MatchExclude && strings.HasPrefix(want, "Expected") {
					want = ""
				}
				if r := check(t, open(), checks.ProbeRequest{URL: site.URL, MatchType: match, Match: "text"}); r.Reason != want {
					t.Errorf("%s: %q, want %q", match, r.Reason, want)
				}
			}
			if r := check(t, open(), checks.ProbeRequest{URL: site.URL}); r.Reason != "" {
				t.Errorf("success: %q", r.Reason)
			}
		})
	}
}

// packer returns what compresses in one coding, and can be flushed.
func packer(coding string, to io.Writer) interface {
	io.WriteCloser
	Flush() error
} {
	switch coding {
	case "deflate":
		return zlib.NewWriter(to)
	case "raw deflate":
		w, _ := flate.NewWriter(to, 5)
		return w
	case "br":
		return brotli.NewWriter(to)
	case "zstd":
		w, _ := zstd.NewWriter(to)
		return w
	}
	return gzip.NewWriter(to)
}

func packed(coding, page string) string {
	var out bytes.Buffer
	w := packer(coding, &out)
	_, _ = io.WriteString(w, page)
	_ = w.Close()
	return out.String()
}

// A page is read in every coding, or several, and as far as it has come.
func TestCheckReadsCodings(t *testing.T) {
	t.Parallel()
	const page = "all is well here, and we are open"
	for name, tt := range map[string]struct{ header, body string }{
		"gzip":             {"gzip", packed("gzip", page)},
		"x-gzip":           {"X-GZIP", packed("gzip", page)},
		"two members":      {"gzip", packed("gzip", "all is well here, and ") + packed("gzip", "we are open")},
		"bytes after gzip": {"gzip", packed("gzip", page) + "\x00\x00"},
		"more after gzip":  {"gzip", packed("gzip", page) + strings.Repeat("\x00", 100)},
		"deflate":          {"deflate", packed("deflate", page)},
		"raw deflate":      {"deflate", packed("raw deflate", page)},
		"brotli":           {"br", packed("br", page)},
		"zstd":             {"zstd", packed("zstd", page)},
		"a list":           {"deflate, gzip", packed("gzip", packed("deflate", page))},
		"three":            {"zstd,br , gzip", packed("gzip", packed("br", packed("zstd", page)))},
		"two headers":      {"gzip\r\nContent-Encoding: br", packed("br", packed("gzip", page))},
		"identity":         {"identity", page},
		"none":             {"none, gzip", packed("gzip", page)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site := target.Start(t, target.Options{})
			site.Every(target.Answer(http.StatusOK, tt.body, "Content-Encoding", tt.header))
			for match, want := range map[checks.MatchType]string{checks.MatchInclude: "", checks.MatchExclude: `Expected page not to include "open"`} {
				if r := check(t, open(), checks.ProbeRequest{URL: site.URL, MatchType: match, Match: "open"}); r.Reason != want {
					t.Errorf("%s: %q", match, r.Reason)
				}
				if r := check(t, open(), checks.ProbeRequest{URL: site.URL, MatchType: checks.MatchExclude, Match: "closed"}); r.Reason != "" {
					t.Errorf("exclude: %q", r.Reason)
				}
			}
			site.Every(target.Answer(http.StatusInternalServerError, tt.body, "Content-Encoding", tt.header))
			if r := check(t, open(), checks.ProbeRequest{URL: site.URL}); string(r.Body) != page {
				t.Errorf("evidence %q", r.Body)
			}
		})
	}
}

// A text counts when it has arrived, although the page goes on for ever; a status likewise.
func TestCheckOpenStreams(t *testing.T) {
	t.Parallel()
	for _, coding := range []string{"", "gzip", "deflate", "br", "zstd"} {
		t.Run("coding "+coding, func(t *testing.T) {
			t.Parallel()
			site := target.Start(t, target.Options{})
			site.Every(func(v *target.Visit) {
				header := "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
				if coding == "" {
					target.Then(header+"\r\ndata: open\n\n", target.Silent)(v)
					return
				}
				_, _ = io.WriteString(v, header+"Content-Encoding: "+coding+"\r\n\r\n")
				w := packer(coding, v)
				_, _ = io.WriteString(w, "data: open\n\n")
				_ = w.Flush()
				target.Silent(v)
			})
			looks := []checks.ProbeRequest{{MatchType: checks.MatchInclude, Match: "open"}}
			if coding == "" {
				looks = append(looks, checks.ProbeRequest{MatchType: checks.MatchSuccess}, checks.ProbeRequest{MatchType: checks.MatchExact, Match: "200"})
			}
			for _, r := range looks {
				r.URL = site.URL
				if r := check(t, open(), r); !r.Up {
					t.Error(r.Reason)
				}
			}
		})
	}
}

// A text that has not arrived is absent only when the page is over.
func TestCheckWaitsForTheEndOfAStream(t *testing.T) {
	t.Parallel()
	site := target.Start(t, target.Options{})
	for _, match := range []checks.MatchType{checks.MatchInclude, checks.MatchExclude} {
		r := check(t, open(), checks.ProbeRequest{URL: site.URL + "/slow-body", MatchType: match, Match: "closed", Timeout: short})
		if r.Reason != "Response body not complete after 1s" || r.Phase != checks.PhaseBody || string(r.Body) != "the beginning " {
			t.Errorf("%s: %q, %s, %q", match, r.Reason, r.Phase, r.Body)
		}
	}
}
