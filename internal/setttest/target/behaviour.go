package target

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
)

// Paths are the paths at which a Target misbehaves by itself, for those who have nothing but its address.
func Paths() map[string]Behaviour {
	paths := map[string]Behaviour{
		"/slow-headers": Silent, "/half-headers": HalfHeaders, "/slow-body": SlowBody, "/endless": Endless,
		"/reset": Reset, "/reset-headers": ResetHeaders, "/reset-body": ResetBody,
		"/close": Close, "/close-headers": CloseHeaders, "/close-body": CloseBody,
		"/garbage": Say("\x00\x01 this is no HTTP\r\n\r\n"), "/huge-headers": HugeHeaders, "/endless-headers": EndlessHeaders,
		"/interim": Interim, "/switching": Say("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"),
		"/gzip": Gzip("a page that was compressed"), "/bomb": Bomb,
		"/redirect": Redirect("/"), "/loop": Redirect("/loop"), "/metadata": Redirect("http://169.254.169.254/latest/meta-data/"),
	}
	for _, status := range []int{200, 204, 299, 301, 304, 400, 401, 404, 418, 429, 500, 502, 503} {
		paths[fmt.Sprintf("/%d", status)] = Answer(status, http.StatusText(status))
	}
	return paths
}

// Answer answers well, with headers as pairs of name and value.
func Answer(status int, page string, header ...string) Behaviour {
	var head strings.Builder
	fmt.Fprintf(&head, "HTTP/1.1 %d %s\r\nContent-Type: text/plain\r\nConnection: close\r\n", status, http.StatusText(status))
	for i := 0; i+1 < len(header); i += 2 {
		fmt.Fprintf(&head, "%s: %s\r\n", header[i], header[i+1])
	}
	if status == http.StatusNoContent || status == http.StatusNotModified {
		return Say(head.String() + "\r\n")
	}
	return Say(fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", head.String(), len(page), page))
}

// Redirect answers that the page is elsewhere.
func Redirect(to string) Behaviour {
	return Answer(http.StatusMovedPermanently, "elsewhere", "Location", to)
}

// Gzip answers with a compressed page.
func Gzip(page string) Behaviour {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write([]byte(page))
	_ = w.Close()
	return Answer(http.StatusOK, packed.String(), "Content-Encoding", "gzip")
}

// Bomb answers with a few bytes that become 16 MiB.
func Bomb(v *Visit) { Gzip(strings.Repeat("\x00", 16<<20))(v) }

// EmptyForever answers with compressed nothing, again and again.
func EmptyForever(v *Visit) {
	var nothing bytes.Buffer
	_ = gzip.NewWriter(&nothing).Close()
	Then("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n", repeat(strings.Repeat(nothing.String(), 1000)))(v)
}

// Say sends text as it is. As a greeting it speaks before it is spoken to.
func Say(text string) Behaviour {
	return func(v *Visit) {
		_, _ = io.WriteString(v, text)
		v.hangUp()
	}
}

// hangUp ends a visit so that all that was said arrives: a connection that is closed with something unread is reset.
func (v *Visit) hangUp() {
	if half, ok := v.Conn.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
	if half, ok := v.raw.(*net.TCPConn); ok {
		_ = half.CloseWrite()
	}
	Silent(v)
}

// Silent says nothing until the other side gives up.
func Silent(v *Visit) { _, _ = io.Copy(io.Discard, v.raw) }

// Deaf, as a greeting, accepts and never reads. It ends with the Target: only who reads notices that the other side has.
func Deaf(v *Visit) { <-v.ended }

// AfterHello, as a greeting, reads the beginning of what the other side says first and goes on otherwise.
func AfterHello(b Behaviour) Behaviour {
	return func(v *Visit) {
		_, _ = v.Read(make([]byte, 64<<10))
		b(v)
	}
}

// start begins an answer whose page has not come to its end.
const start = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 1000\r\n\r\nthe beginning "

// half begins the headers of an answer.
const half = "HTTP/1.1 200 OK\r\nContent-Type: text/pl"

// Then says text and goes on otherwise.
func Then(text string, next Behaviour) Behaviour {
	return func(v *Visit) {
		_, _ = io.WriteString(v, text)
		next(v)
	}
}

// HalfHeaders begins to answer and then says no more.
func HalfHeaders(v *Visit) { Then(half, Silent)(v) }

// SlowBody begins a page and then says no more.
func SlowBody(v *Visit) { Then(start, Silent)(v) }

// Close hangs up without an answer.
func Close(*Visit) {}

// CloseHeaders hangs up within the headers of its answer.
func CloseHeaders(v *Visit) { Say(half)(v) }

// CloseBody hangs up in the middle of the page.
func CloseBody(v *Visit) { Say(start)(v) }

// Reset resets the connection.
func Reset(v *Visit) {
	if c, ok := v.raw.(*net.TCPConn); ok {
		_ = c.SetLinger(0)
		_ = c.Close()
	}
}

// ResetHeaders resets the connection within the headers of its answer.
func ResetHeaders(v *Visit) { Then(half, Reset)(v) }

// ResetBody resets the connection in the middle of the page.
func ResetBody(v *Visit) { Then(start, Reset)(v) }

// Endless sends a page without an end.
func Endless(v *Visit) {
	Then("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n", repeat(strings.Repeat("endless ", 4096)))(v)
}

// EndlessHeaders sends headers without an end.
func EndlessHeaders(v *Visit) { Then("HTTP/1.1 200 OK\r\n", repeat("X-Endless: yes\r\n"))(v) }

// HugeHeaders answers with a header of a mebibyte.
func HugeHeaders(v *Visit) { Answer(http.StatusOK, "fine", "X-Huge", strings.Repeat("h", 1<<20))(v) }

// Interim answers after two interim responses.
func Interim(v *Visit) {
	const hints = "HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n"
	Then("HTTP/1.1 100 Continue\r\n\r\n"+hints, Answer(http.StatusOK, "fine"))(v)
}

// repeat writes a text until the connection is closed.
func repeat(text string) Behaviour {
	return func(v *Visit) {
		for {
			if _, err := io.WriteString(v, text); err != nil {
				return
			}
		}
	}
}
