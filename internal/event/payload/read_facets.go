package payload

import (
	"cmp"
	"net"
	"slices"
	"strings"
	"unicode"

	"sett/internal/event/origin"
	"sett/internal/event/useragent"
)

// facet is one value that a search over notices can ask for, whole and as appendFolded spells it.
type facet struct{ key, value string }

// payloadFacets are all facets of one notice. Those of a Report (Report.Facets) are only what fits MaxFacets, cut to
// MaxFacetText, and without what looks like a secret; these leave nothing out.
type payloadFacets []facet

// honeybadgerFacets returns the facets of a body in the format of the contract; searchField is the project's user_search_field. It follows the rules of package ingest, which has a test
// that every facet of a report is here too.
func honeybadgerFacets(body []byte, searchField string) (payloadFacets, error) {
	root, err := DecodeObject(body)
	if err != nil {
		return nil, err
	}
	failure, request, server := ObjectIn(root, "error"), ObjectIn(root, "request"), ObjectIn(root, "server")
	var all payloadFacets
	all.addText("hostname", oneLine(TextOf(server["hostname"])))
	all.addText("revision", cmp.Or(oneLine(TextOf(server["revision"])), oneLine(TextOf(server["version"]))))
	if searchField != "" {
		all.addUser(TextOf(scalarAt(request, strings.Split(UserFields(searchField)[0], "."))))
	}
	all.addText("level", UserText(TextOf(failure["level"])))
	all.addText("handled", UserText(TextOf(failure["handled"])))
	all.addText("trace", UserText(TextOf(ObjectIn(root, "correlation_context")["request_id"])))
	all.addProgram(ObjectIn(root, "details"), TextOf(ObjectIn(request, "cgi_data")["HTTP_USER_AGENT"]))
	all.addFiles(failure["backtrace"])
	all.addCGI(ObjectIn(request, "cgi_data"), all.addURL(TextOf(request["url"])))
	for _, section := range []string{"context", "params", "session"} {
		if object, ok := request[section].(map[string]any); ok {
			all.addObject(section, object)
		} else {
			all.addLeaves(section+".value", request[section])
		}
	}
	return all, nil
}

// foldText spells a text as AppendFacet does, at its full length.
func foldText(text string) string {
	return strings.Map(func(r rune) rune {
		if r = unicode.ToLower(r); unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
}

// oneLine returns a name without control characters and what is blank around it.
func oneLine(name string) string { return strings.TrimSpace(foldText(name)) }

// add adds a value, and what is indexed of an address whose query may name a secret: what comes before it.
func (a *payloadFacets) add(key, value string) {
	value = strings.ReplaceAll(value, "\x00", "\uFFFD")
	key = foldText(key)
	*a = append(*a, facet{key, foldText(value)})
	if before, _, query := strings.Cut(value, "?"); query {
		*a = append(*a, facet{key, foldText(before)})
	}
}

func (a *payloadFacets) addText(key, value string) {
	if value != "" {
		a.add(key, value)
	}
}

// addUser adds a value that names the affected user.
func (a *payloadFacets) addUser(value string) { a.addText("user", UserText(value)) }

// addProgram adds what the details, or else the User-Agent, say of where it happened.
func (a *payloadFacets) addProgram(details map[string]any, userAgent string) {
	browser, os, device := useragent.Names(userAgent)
	a.addText("browser", UserText(cmp.Or(nameIn(details["browser"], "name"), browser)))
	a.addText("os", UserText(cmp.Or(nameIn(details["os"], "name"), os)))
	a.addText("device", UserText(cmp.Or(nameIn(details["device"], ModelKeys...), device)))
}

// addFiles adds the files of the application's frames, or else the file of the top frame.
func (a *payloadFacets) addFiles(backtrace any) {
	var frames []origin.Frame
	all, _ := backtrace.([]any)
	for _, f := range all {
		frame, _ := f.(map[string]any)
		if one := (origin.Frame{Context: TextOf(frame["context"]), File: TextOf(frame["file"]), Method: TextOf(frame["method"])}); one.File != "" || one.Method != "" {
			frames = append(frames, one)
		}
	}
	var files []string
	for i, isApp := range origin.Apps(frames) {
		if isApp && !slices.Contains(files, frames[i].File) {
			files = append(files, frames[i].File)
		}
	}
	if len(files) == 0 && len(frames) > 0 {
		files = []string{frames[0].File}
	}
	for _, file := range files {
		a.addText("file", withoutRoot(file))
	}
}

// withoutRoot returns a file as AppendFacet spells it.
func withoutRoot(file string) string {
	if len(file) >= len(projectRoot) && strings.EqualFold(file[:len(projectRoot)], projectRoot) {
		return file[len(projectRoot):]
	}
	return file
}

// addURL adds the address of the request, without a user and password in it, and its host if it has one.
func (a *payloadFacets) addURL(url string) (hasHost bool) {
	scheme, rest, ok := strings.Cut(url, "://")
	if !ok {
		a.addText("request.url", url)
		return false
	}
	host, tail := rest, ""
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		host, tail = rest[:i], rest[i:]
	}
	host = host[strings.LastIndexByte(host, '@')+1:]
	a.addText("request.url", scheme+"://"+host+tail)
	a.addHost(host)
	return host != ""
}

// addHost adds a host as it is and, where it has a port, without it.
func (a *payloadFacets) addHost(host string) {
	a.addText("request.host", host)
	if name, _, err := net.SplitHostPort(host); err == nil {
		a.addText("request.host", name)
	}
}

func (a *payloadFacets) addCGI(variables map[string]any, hasHost bool) {
	for name, value := range variables {
		switch {
		case name != "HTTP_HOST":
			a.addLeaves("request."+nameOfVariable(name), value)
		case !hasHost:
			a.addHost(TextOf(value))
		}
	}
}

// nameOfVariable is what searches call a variable of the request.
func nameOfVariable(name string) string {
	if name == "REQUEST_METHOD" {
		return "method"
	}
	return strings.TrimPrefix(name, "HTTP_")
}

func (a *payloadFacets) addObject(path string, object map[string]any) {
	for key, value := range object {
		a.addLeaves(path+"."+key, value)
	}
}

// addLeaves adds every scalar of a value under the dotted path of its keys; the elements of an array repeat the key.
func (a *payloadFacets) addLeaves(path string, value any) {
	switch value := value.(type) {
	case nil:
	case map[string]any:
		a.addObject(path, value)
	case []any:
		for _, element := range value {
			a.addLeaves(path, element)
		}
	default:
		a.add(path, TextOf(value))
		if NamesUser([]byte(path)) {
			a.addUser(TextOf(value))
		}
	}
}
