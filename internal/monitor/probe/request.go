package probe

import (
	"net/http"
	"net/url"
	"strings"

	"sett/internal/sett/checks"
)

// newRequest writes down what is to be sent. It asks for gzip, as a browser would, unless the check says otherwise.
func newRequest(r checks.ProbeRequest, agent string) (*http.Request, error) {
	request, err := http.NewRequest(r.Method, r.URL, strings.NewReader(r.Body)) // its context is the look's, which the connection obeys
	if err != nil {
		return nil, problem("The URL must start with http:// or https://")
	}
	if err := nameInASCII(request); err != nil {
		return nil, err
	}
	request.Close = true
	request.Header.Set("User-Agent", agent)
	request.Header.Set("Accept", "*/*")
	request.Header.Set("Accept-Encoding", "gzip")
	signIn(request)
	addHeaders(request, r.Headers)
	return request, nil
}

// signIn sends the user and password of the URL in their header.
func signIn(request *http.Request) {
	if user := request.URL.User; user != nil {
		password, _ := user.Password()
		request.SetBasicAuth(user.Username(), password)
	}
}

// addHeaders adds those of the check, instead of our own of the same name; names that repeat are sent repeatedly.
func addHeaders(request *http.Request, headers []checks.ProbeHeader) {
	for _, h := range headers {
		request.Header.Del(h.Key)
	}
	for _, h := range headers {
		if strings.EqualFold(h.Key, "Host") {
			request.Host = h.Value
			continue
		}
		request.Header.Add(h.Key, h.Value)
	}
}

// target returns the host and port to connect to.
func target(u *url.URL) (host, port string) {
	if port = u.Port(); port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Hostname(), port
}
