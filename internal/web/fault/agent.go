package fault

import (
	"regexp"
	"strings"

	"sett/internal/signin"
)

// versions are the marks of browsers and systems in a User-Agent with their major versions, those first that also carry the marks of others.
var versions = []struct {
	name string
	mark *regexp.Regexp
}{
	{"Edge", regexp.MustCompile(`Edg[A-Za-z]*/(\d{1,4})`)},
	{"Opera", regexp.MustCompile(`OPR/(\d{1,4})`)},
	{"Firefox", regexp.MustCompile(`(?:Firefox|FxiOS)/(\d{1,4})`)},
	{"Chrome", regexp.MustCompile(`(?:Chrome|CriOS)/(\d{1,4})`)},
	{"Safari", regexp.MustCompile(`Version/(\d{1,4})`)},
	{"curl", regexp.MustCompile(`curl/(\d{1,4})`)},
	{"iPhone", regexp.MustCompile(`iPhone OS (\d{1,3})`)},
	{"iPad", regexp.MustCompile(`CPU OS (\d{1,3})`)},
	{"Android", regexp.MustCompile(`Android (\d{1,3})`)},
}

// longestAgent is how many bytes of a User-Agent are looked at.
const longestAgent = 500

// browserOf returns the browser and the system of a User-Agent with their versions, such as "Chrome 131 on Android 14"; "" if neither is known.
func browserOf(agent string) string {
	agent = agent[:min(len(agent), longestAgent)]
	device := signin.DeviceOf(agent)
	if device == signin.DeviceOf("") {
		return ""
	}
	browser, system, _ := strings.Cut(device, " on ")
	if browser = versioned(browser, agent); system != "" {
		return browser + " on " + versioned(system, agent)
	}
	return browser
}

// versioned adds the version to a name, if the User-Agent has one.
func versioned(name, agent string) string {
	for _, v := range versions {
		found := v.mark.FindStringSubmatch(agent)
		switch {
		case v.name != name || found == nil:
		case strings.HasPrefix(name, "iP"): // their models have numbers too
			return name + " (iOS " + found[1] + ")"
		default:
			return name + " " + found[1]
		}
	}
	return name
}
