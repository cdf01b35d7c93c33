package bench

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// The traffic: 40 projects × 60 fault templates; of every ten templates five are 2 KB, two 8 KB and three 20 KB, which
// makes 8.7 KB on average; a few templates get most of the notices, as in life.
const (
	projects     = 40
	templates    = 60
	tokenPlace   = "00000000-0000-4000-8000-000000000000"
	numberPlace  = "0000000000"
	tokenOfEvery = 2 // one notice in two carries a client token, as the Ruby, Go and Python clients send
)

var templateSizes = []int{8_000, 2_000, 20_000, 2_000, 8_000, 20_000, 2_000, 2_000, 2_000, 20_000}

// template is a notice whose token and number are filled in for each request.
type template struct {
	body          []byte
	token         int   // offset of the token; -1: none
	numberOffsets []int // offsets of the number
}

// newTemplates makes the templates of one project.
func newTemplates(r *rand.Rand, project int) []template {
	all := make([]template, templates)
	for i := range all {
		all[i] = newTemplate(r, project, i, templateSizes[i%len(templateSizes)])
	}
	return all
}

func newTemplate(r *rand.Rand, project, i, size int) template {
	token := ""
	if i%tokenOfEvery == 0 {
		token = `"token":"` + tokenPlace + `",`
	}
	var b strings.Builder
	fmt.Fprintf(&b, `{"notifier":{"name":"bench","url":"https://example.test","version":"1.0"},"error":{%s"class":"Bench%dError%d",`, token, project, i)
	fmt.Fprintf(&b, `"message":"could not find order %s for the cart","tags":["bench","p%d"],"fingerprint":null,"causes":[],"backtrace":[`, numberPlace, project)
	frames := max(4, size*55/100/170) // a little more than half of a notice is its backtrace
	for f := range frames {
		if f > 0 {
			b.WriteByte(',')
		}
		root := "[PROJECT_ROOT]/app/models"
		if f > 3 {
			root = "[GEM_ROOT]/gems/activerecord-8.0.1/lib/active_record"
		}
		fmt.Fprintf(&b, `{"number":"%d","column":null,"file":"%s/%s_%d_%d.rb","method":"%s_with_%s","context":"%s"}`,
			10+f, root, word(r), i, f, word(r), word(r), map[bool]string{true: "app", false: "all"}[f <= 3])
	}
	b.WriteString(`]},"request":{"url":"https://shop.example.test/orders/` + numberPlace + `?page=2","component":"orders","action":"show","context":{"user_id":"` +
		numberPlace + `","user_email":"user` + numberPlace + `@example.test","plan":"team"},"params":{"controller":"orders","action":"show","id":"` + numberPlace + `"},`)
	b.WriteString(`"session":{"session_id":"` + numberPlace + `"},"cgi_data":{"REQUEST_METHOD":"GET","HTTP_HOST":"shop.example.test","HTTP_USER_AGENT":"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36","REMOTE_ADDR":"192.0.2.7","HTTP_ACCEPT_LANGUAGE":"en-GB,en;q=0.9"}},`)
	b.WriteString(`"server":{"project_root":"/srv/shop","environment_name":"production","hostname":"web-` + fmt.Sprint(i%8) + `","revision":"4f2a9c1","time":"2026-11-20 12:16:55 UTC","pid":4711,"stats":{"mem":{"total":24105.5,"free":14243.5,"buffers":21.9,"cached":73.6},"load":{"one":0.7,"five":0.6,"fifteen":0.5}}},`)
	b.WriteString(`"breadcrumbs":{"enabled":true,"trail":[`)
	for n := 0; b.Len() < size-200; n++ {
		if n > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"category":"query","message":"Active Record","metadata":{"sql":"SELECT %s FROM %s WHERE id = %d","duration":%d.%d},"timestamp":"2026-11-20T12:16:%02d.%03dZ"}`,
			word(r), word(r), r.IntN(100000), r.IntN(90), r.IntN(999), r.IntN(60), r.IntN(1000))
	}
	b.WriteString(`]},"details":{},"correlation_context":{"request_id":"` + tokenPlace[:23] + numberPlace + `ab"}}`)
	return locate(b.String())
}

func locate(body string) template {
	t := template{body: []byte(body), token: strings.Index(body, tokenPlace)}
	for from := 0; ; {
		at := strings.Index(body[from:], numberPlace)
		if at < 0 {
			return t
		}
		if at += from; t.token < 0 || at < t.token || at >= t.token+len(tokenPlace) {
			t.numberOffsets = append(t.numberOffsets, at)
		}
		from = at + len(numberPlace)
	}
}

// fill writes a notice of the template into buf, with a token and a number of its own.
func (t *template) fill(buf []byte, r *rand.Rand) []byte {
	buf = append(buf[:0], t.body...)
	number := fmt.Appendf(nil, "%010d", pick(r, 5000)) // of users, orders and requests
	for _, at := range t.numberOffsets {
		copy(buf[at:], number)
	}
	if t.token >= 0 {
		copy(buf[t.token:], fmt.Appendf(nil, "%08x-%04x-4%03x-8%03x-%012x", r.Uint32(), r.Uint32()&0xffff, r.Uint32()&0xfff, r.Uint32()&0xfff, r.Uint64()&(1<<48-1)))
	}
	return buf
}

func word(r *rand.Rand) string {
	b := make([]byte, 5+r.IntN(8))
	for i := range b {
		b[i] = byte('a' + r.IntN(26))
	}
	return string(b)
}

// pick chooses an index below n; low ones much more often than high ones.
func pick(r *rand.Rand, n int) int {
	x := r.Float64()
	return int(x * x * x * float64(n))
}
