// Package objects reads and writes S3-compatible object storage, at an address as operators write it. It returns whole objects or parts of
// them by their keys, from a cache on the disk where it has them. Every call ends within a time, and every error says what to look at. It
// never decides what is stored or deleted, and never changes an object.
package objects

import (
	"cmp"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
)

// Address is where objects are.
type Address struct {
	Bucket   string
	Prefix   string // of all keys; "" or text that ends with a slash
	Endpoint string // host and port
	Region   string
	Plain    bool // http and not https
	Path     bool // the bucket is a part of the path, not of the host name
}

// form says how an address is written.
const form = "s3://bucket/prefix, or s3://bucket/prefix?endpoint=https://host:port&region=name&path-style=true"

// options are the parameters of an address.
var options = []string{"endpoint", "region", "path-style"}

// ParseAddress reads an address. What it does not say is taken from the usual variables: AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, AWS_REGION and
// AWS_DEFAULT_REGION.
func ParseAddress(text string) (a Address, err error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "s3" || u.Host == "" || u.User != nil || u.Fragment != "" {
		return a, fmt.Errorf("%q is not an address of object storage; it has the form %s", text, form)
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return a, fmt.Errorf("the parameters of %q cannot be read; the form is %s", text, form)
	}
	for name := range query {
		if !slices.Contains(options, name) {
			return a, fmt.Errorf("%q has an unknown parameter %s; there are %s", text, name, strings.Join(options, ", "))
		}
	}
	a = Address{
		Bucket: u.Host, Prefix: strings.Trim(u.Path, "/"),
		Region: cmp.Or(query.Get("region"), os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION"), "us-east-1"),
	}
	if a.Prefix != "" {
		a.Prefix += "/"
	}
	endpoint := cmp.Or(query.Get("endpoint"), os.Getenv("AWS_ENDPOINT_URL_S3"), os.Getenv("AWS_ENDPOINT_URL"), "https://s3.amazonaws.com")
	at, err := url.Parse(endpoint)
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" || strings.Trim(at.Path, "/") != "" {
		return a, fmt.Errorf("%q is not an endpoint of object storage; it has the form https://host:port", endpoint)
	}
	a.Endpoint, a.Plain = at.Host, at.Scheme == "http"
	a.Path = query.Has("path-style") && query.Get("path-style") != "false"
	return a, nil
}

// ParseObject reads the address of one object. Its key is what follows the last slash: s3://bucket/prefix/key.
func ParseObject(text string) (a Address, key string, err error) {
	if a, err = ParseAddress(text); err != nil {
		return a, "", err
	}
	if place, _, _ := strings.Cut(text, "?"); a.Prefix == "" || strings.HasSuffix(place, "/") {
		return a, "", fmt.Errorf("%q is where objects are, and not the address of one; add a name: s3://bucket/prefix/name", text)
	}
	whole := strings.TrimSuffix(a.Prefix, "/")
	at := strings.LastIndexByte(whole, '/') + 1
	a.Prefix, key = whole[:at], whole[at:]
	return a, key, nil
}

// Join returns the address of an object of a key in the place that an address names.
func Join(address, key string) string {
	place, options, has := strings.Cut(address, "?")
	if place = strings.TrimRight(place, "/") + "/" + key; has {
		place += "?" + options
	}
	return place
}

// String returns the bucket and the prefix, without the endpoint.
func (a Address) String() string { return "s3://" + a.Bucket + "/" + a.Prefix }
