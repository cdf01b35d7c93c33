// Package useragent reads what clients call themselves. It takes the User-Agent of a request, in any case and of any length, and returns
// the names of its browser and system with their versions, and the family that a search can find. The names of browsers and systems are in
// this package alone. It never fails: an unknown browser or system has no name. It knows no requests and never says whether a client is
// what it claims to be.
package useragent

import (
	"regexp"
	"slices"
	"strings"
)

// Client is the browser and the system that a User-Agent names; what it does not name is "".
type Client struct {
	Browser, BrowserVersion string // a name, and the major version
	System, SystemVersion   string
}

// known is a browser or a system that a User-Agent names.
type known struct {
	name    string
	mark    string         // what is in the User-Agent, in lower case
	version *regexp.Regexp // of the major version, after the mark or elsewhere; nil for a system that does not tell it
	family  string         // the name in lists of browsers, "" for name
	pattern string         // of a search that finds the family, and no other; "" for what calls itself by its product
}

// browsers are those that have a name here. Each also carries the marks of those that it resembles, so the order matters, and the pattern includes how
// the User-Agent ends where only that distinguishes them.
var browsers = []known{
	{name: "Edge", mark: "edg", version: regexp.MustCompile(`edg[a-z]*/(\d{1,4})`), pattern: "*edg*/*"},
	{name: "Opera", mark: "opr/", version: regexp.MustCompile(`opr/(\d{1,4})`), pattern: "*opr/*"},
	{name: "Firefox", mark: "firefox/", version: regexp.MustCompile(`firefox/(\d{1,4})`), pattern: "*firefox/*"},
	{name: "Firefox", mark: "fxios/", version: regexp.MustCompile(`fxios/(\d{1,4})`), family: "Firefox on iOS", pattern: "*fxios/*"},
	{name: "Chrome", mark: "crios/", version: regexp.MustCompile(`crios/(\d{1,4})`), family: "Chrome on iOS", pattern: "*crios/*"},
	{name: "Chrome", mark: "chrome/", version: regexp.MustCompile(`chrome/(\d{1,4})`), pattern: "*chrome/*safari/537.36"},
	{name: "Safari", mark: "safari/", version: regexp.MustCompile(`version/(\d{1,4})`), pattern: "*version/*safari/60*"},
	{name: "curl", mark: "curl/", version: regexp.MustCompile(`curl/(\d{1,4})`)},
}

// systems are those that have a name here, in the order in which they are looked for.
var systems = []known{
	{name: "iPhone", mark: "iphone", version: regexp.MustCompile(`iphone os (\d{1,3})`)},
	{name: "iPad", mark: "ipad", version: regexp.MustCompile(`cpu os (\d{1,3})`)},
	{name: "Android", mark: "android", version: regexp.MustCompile(`android (\d{1,3})`)},
	{name: "ChromeOS", mark: "cros"},
	{name: "Windows", mark: "windows"},
	{name: "macOS", mark: "mac os x"},
	{name: "Linux", mark: "linux"},
}

// Longest is how many bytes of a User-Agent are looked at.
const Longest = 500

// Parse returns the browser and the system that a User-Agent names.
func Parse(userAgent string) (c Client) {
	userAgent = strings.ToLower(userAgent[:min(len(userAgent), Longest)])
	c.Browser, c.BrowserVersion = firstNamed(userAgent, browsers)
	c.System, c.SystemVersion = firstNamed(userAgent, systems)
	return c
}

// Names returns the names of the browser, or else of the product that a User-Agent begins with, of the system and of the device. It allocates at most
// once, so that intake can afford it.
func Names(userAgent string) (browser, system, device string) {
	userAgent = strings.ToLower(userAgent[:min(len(userAgent), Longest)])
	if browser = first(userAgent, browsers).name; browser == "" {
		browser, _ = product(userAgent)
	}
	if system = first(userAgent, systems).name; system == "iPhone" || system == "iPad" {
		return browser, "iOS", system
	}
	return browser, system, ""
}

// Spell returns a name of a browser or system as this package spells it, whatever its case; another name stays as it is.
func Spell(name string) string {
	for _, k := range slices.Concat(browsers, systems, []known{{name: "iOS"}}) {
		if strings.EqualFold(k.name, name) {
			return k.name
		}
	}
	return name
}

func firstNamed(userAgent string, names []known) (name, version string) {
	k := first(userAgent, names)
	if k.version != nil {
		if found := k.version.FindStringSubmatch(userAgent); found != nil {
			version = found[1]
		}
	}
	return k.name, version
}

// first returns the first that a User-Agent in lower case names; it is empty for none.
func first(userAgent string, names []known) known {
	for _, k := range names {
		if strings.Contains(userAgent, k.mark) {
			return k
		}
	}
	return known{}
}

// Device returns the client in a few words, such as "Firefox on Linux"; "" if neither browser nor system is known.
func (c Client) Device() string { return Client{Browser: c.Browser, System: c.System}.String() }

// String returns the client with its versions, such as "Chrome 131 on Android 14"; "" if neither browser nor system is known.
func (c Client) String() string {
	browser, system := versioned(c.Browser, c.BrowserVersion), versioned(c.System, c.SystemVersion)
	if strings.HasPrefix(c.System, "iP") && c.SystemVersion != "" { // their models have numbers too
		system = c.System + " (iOS " + c.SystemVersion + ")"
	}
	switch {
	case system == "":
		return browser
	case browser == "":
		return "A browser on " + system
	}
	return browser + " on " + system
}

func versioned(name, version string) string { return strings.TrimSpace(name + " " + version) }
