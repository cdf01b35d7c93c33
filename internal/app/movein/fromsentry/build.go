package fromsentry

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"net/url"
	"regexp"
	"strings"

	"sett/internal/app/movein/remote"
	"sett/internal/sett"
	"sett/internal/sett/move"
)

// The newest builds whose files are listed.
const (
	mostBundles  = 20
	mostReleases = 20
	mostOfBundle = 5 // releases

	mostFilePages = 50   // of the files of a build
	longestName   = 4000 // of a file, and of its id, which is made of the name
)

// Ids become parts of a path, so they have nothing that leads elsewhere.
var (
	bundleID = regexp.MustCompile(`^[0-9A-Za-z-]{1,64}$`)
	fileID   = regexp.MustCompile(`^[0-9A-Za-z_=-]+$`)
)

// Builds returns the newest artifact bundles of a project, and then the files of its newest releases, as older tools upload them.
func (s *Source) Builds(ctx context.Context, p move.Project) ([]move.Build, []move.Left, error) {
	builds, hasBundles, err := s.bundles(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	ofReleases, hasFiles, err := s.releaseFiles(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	if !hasBundles && !hasFiles {
		return nil, []move.Left{{Noun: "source maps", Why: "The server does not show them to this token: upload them again.", Page: move.SourceMapsPage}}, nil
	}
	return append(builds, ofReleases...), nil, nil
}

// File reads a file of a build, of at most so many bytes.
func (s *Source) File(ctx context.Context, p move.Project, b move.Build, f move.File, most int) ([]byte, error) {
	text, err := s.c.Raw(ctx, "files", "api/0/"+ofProject(s.org, p.Slug, b.ID+"/files/"+url.PathEscape(f.ID)+"/"), url.Values{"download": {"1"}}, most)
	if remote.IsForbidden(err) {
		return nil, sett.Errorf(sett.Forbidden, "The token may not read the files. It needs project:releases, and a user who may download files there.")
	}
	if remote.IsMissing(err) {
		return nil, sett.Errorf(sett.NotFound, "The server does not have it any more.")
	}
	return text, err
}

// bundles lists the newest artifact bundles; there is false for a server that has none, or not for this token.
func (s *Source) bundles(ctx context.Context, p move.Project) (builds []move.Build, there bool, err error) {
	var rows []struct {
		ID           string `json:"bundleId"`
		Associations []struct {
			Release string `json:"release"`
		} `json:"associations"`
		Release string `json:"release"` // of old servers
	}
	_, err = s.c.get(ctx, "bundles", ofProject(s.org, p.Slug, "files/artifact-bundles"), url.Values{"per_page": {"20"}, "sortBy": {"-date_added"}}, &rows)
	if remote.IsMissing(err) || remote.IsOther(err) {
		return nil, false, nil
	}
	for _, row := range rows[:min(len(rows), mostBundles)] {
		if !bundleID.MatchString(row.ID) {
			continue
		}
		b := move.Build{ID: "artifact-bundles/" + row.ID, Name: row.ID}
		for _, a := range row.Associations[:min(len(row.Associations), mostOfBundle)] {
			b.Revisions = appendLine(b.Revisions, a.Release)
		}
		if len(row.Associations) == 0 {
			b.Revisions = appendLine(b.Revisions, row.Release)
		}
		if b.Files, b.More, err = s.filesOfBundle(ctx, p, b.ID); remote.IsMissing(err) || remote.IsOther(err) {
			continue // it was deleted a moment ago, or its archive is lost
		}
		if err != nil {
			return nil, true, err
		}
		builds = append(builds, b)
	}
	return builds, true, err
}

func appendLine(all []string, text string) []string {
	if line := move.Line(text, move.MostName); line != "" && line == text {
		all = append(all, line)
	}
	return all
}

type bundleFile struct {
	ID      string `json:"id"`
	Path    string `json:"filePath"`
	Type    int    `json:"fileType"`
	Size    int64  `json:"fileSize"`
	DebugID string `json:"debugId"`
	Map     string `json:"sourcemap"`
}

// bundleFiles is a page of the files of a bundle: an object, or a list of old servers.
type bundleFiles []bundleFile

func (b *bundleFiles) UnmarshalJSON(text []byte) error {
	if bytes.HasPrefix(text, []byte("[")) {
		return json.Unmarshal(text, (*[]bundleFile)(b))
	}
	var object struct {
		Files []bundleFile `json:"files"`
	}
	err := json.Unmarshal(text, &object)
	*b = object.Files
	return err
}

// kinds are those of files of bundles, by their numbers.
var kinds = map[int]move.FileKind{2: move.MinifiedFile, 3: move.SourceMapFile}

func (s *Source) filesOfBundle(ctx context.Context, p move.Project, id string) (files []move.File, more bool, err error) {
	query := url.Values{"per_page": {"100"}}
	for range mostFilePages {
		var rows bundleFiles
		a, err := s.c.get(ctx, "bundle files", ofProject(s.org, p.Slug, id+"/files"), query, &rows)
		if err != nil {
			return nil, false, err
		}
		for _, f := range rows {
			files = appendFile(files, move.File{
				ID: f.ID, Kind: cmp.Or(kinds[f.Type], move.OtherFile), URL: f.Path, Map: f.Map, DebugID: f.DebugID, Size: f.Size,
			})
		}
		if len(files) >= move.MostFiles {
			return files[:move.MostFiles], true, nil
		}
		if a.next == "" || a.next == query.Get("cursor") {
			return files, false, nil
		}
		query.Set("cursor", a.next)
	}
	return files, true, nil
}

// appendFile appends what may be of use of a file. Texts that are longer than any name are no names.
func appendFile(files []move.File, f move.File) []move.File {
	if f.Kind == move.OtherFile || len(f.ID) > longestName || !fileID.MatchString(f.ID) || len(f.URL) > longestName || len(f.Map) > longestName || len(f.DebugID) > 100 {
		return files
	}
	f.Version = move.Line(f.Version, move.MostName)
	return append(files, f)
}

// releaseFiles lists the files of the newest releases; there is false for a server that has none, or not for this token.
func (s *Source) releaseFiles(ctx context.Context, p move.Project) (builds []move.Build, there bool, err error) {
	page, err := s.Releases(ctx, p, "")
	if err != nil || len(page.Releases) == 0 {
		return nil, err == nil, err
	}
	for _, r := range page.Releases[:min(len(page.Releases), mostReleases)] {
		if r.Version == "." || r.Version == ".." {
			continue
		}
		b := move.Build{ID: "releases/" + url.PathEscape(r.Version), Name: r.Version, Revisions: []string{r.Version}}
		b.Files, b.More, err = s.filesOfRelease(ctx, p, b.ID)
		if (remote.IsMissing(err) || remote.IsOther(err)) && !there {
			return nil, false, nil
		}
		if remote.IsMissing(err) || remote.IsOther(err) {
			continue
		}
		if err != nil {
			return nil, there, err
		}
		there = true
		if len(b.Files) > 0 {
			builds = append(builds, b)
		}
	}
	return builds, there, nil
}

func (s *Source) filesOfRelease(ctx context.Context, p move.Project, id string) (files []move.File, more bool, err error) {
	query := url.Values{"per_page": {"100"}}
	for range mostFilePages {
		var rows []struct {
			ID      text            `json:"id"`
			Name    string          `json:"name"`
			Size    int64           `json:"size"`
			SHA1    string          `json:"sha1"`
			Created string          `json:"dateCreated"`
			Headers map[string]text `json:"headers"`
		}
		a, err := s.c.get(ctx, "release files", ofProject(s.org, p.Slug, id+"/files"), query, &rows)
		if err != nil {
			return nil, false, err
		}
		for _, f := range rows {
			file := move.File{ID: string(f.ID), Version: f.SHA1 + " " + f.Created, Kind: move.OtherFile, URL: f.Name, Size: f.Size}
			for name, value := range f.Headers {
				switch strings.ToLower(name) {
				case "sourcemap", "x-sourcemap":
					file.Map = string(value)
				case "debug-id":
					file.DebugID = string(value)
				}
			}
			switch {
			case strings.HasSuffix(f.Name, ".map"):
				file.Kind = move.SourceMapFile
			case file.Map != "" || isScript(f.Name):
				file.Kind = move.MinifiedFile
			}
			files = appendFile(files, file)
		}
		if len(files) >= move.MostFiles {
			return files[:move.MostFiles], true, nil
		}
		if a.next == "" || a.next == query.Get("cursor") {
			return files, false, nil
		}
		query.Set("cursor", a.next)
	}
	return files, true, nil
}

func isScript(name string) bool {
	for _, end := range []string{".js", ".mjs", ".cjs", ".bundle", ".jsbundle"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}
