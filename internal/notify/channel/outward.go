package channel

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"

	"sett/internal/base/dial"
)

// unreachable says why there was no answer.
func (t Tools) unreachable(to *url.URL, err error) *Failure {
	if forbidden, ok := errors.AsType[*dial.ForbiddenError](err); ok {
		return failure(true, forbidden.Error())
	}
	if own, ok := errors.AsType[*dial.OwnError](err); ok {
		return failure(true, own.Error())
	}
	if e, ok := errors.AsType[*url.Error](err); ok && e.Timeout() && lookUpProblem(err) == "" {
		return failure(false, fmt.Sprintf("%s did not respond within %v", to.Hostname(), SendTimeout))
	}
	return failure(false, t.hide(fmt.Sprintf("%s cannot be reached: %s", to.Hostname(), outward(err, "HTTP"))))
}

// outward returns why a connection failed, as a text for users who may not be operators: it contains neither addresses of
// the server nor of its name servers, and repeats nothing of a response in another protocol.
func outward(err error, protocol string) string {
	for _, why := range []func(error) string{lookUpProblem, certificateProblem, tlsProblem, lineProblem} {
		if text := why(err); text != "" {
			return text
		}
	}
	return "the response is not valid " + protocol
}

func lookUpProblem(err error) string {
	e, ok := errors.AsType[*net.DNSError](err)
	switch {
	case !ok:
		return ""
	case e.IsNotFound:
		return "the host does not exist"
	case e.IsTimeout:
		return "the DNS lookup timed out"
	}
	return "the DNS lookup failed"
}

func certificateProblem(err error) string {
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return "the certificate is for another host"
	}
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return "the certificate is signed by an unknown authority"
	}
	if e, ok := errors.AsType[x509.CertificateInvalidError](err); ok && e.Reason == x509.Expired {
		return "the certificate has expired or is not valid yet"
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return "the certificate cannot be verified"
	}
	return ""
}

func tlsProblem(err error) string {
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok || errors.Is(err, http.ErrSchemeMismatch) {
		return "the port does not use TLS"
	}
	e, ok := errors.AsType[*net.OpError](err)
	switch {
	case ok && strings.HasSuffix(e.Op, " error"): // local or remote: an alert, whose text is one of a list
		return "TLS failed: " + strings.TrimPrefix(e.Err.Error(), "tls: ")
	case strings.Contains(err.Error(), "tls: "):
		return "TLS failed"
	}
	return ""
}

func lineProblem(err error) string {
	if e, ok := errors.AsType[syscall.Errno](err); ok {
		return e.Error()
	}
	e, ok := errors.AsType[net.Error](err)
	switch {
	case ok && e.Timeout():
		return "the connection timed out"
	case errors.Is(err, context.Canceled):
		return "the attempt was canceled"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the connection was closed without a response"
	}
	return ""
}
