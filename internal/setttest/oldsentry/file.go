package oldsentry

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
)

// Bundle is an artifact bundle of a project.
type Bundle struct {
	ID       string
	Releases []string
	Files    []*File
}

// File is a file of a bundle or a release.
type File struct {
	ID      string // "": made of its name
	Name    string // such as ~/app.js
	Map     string // that it names
	DebugID string // of a file of a bundle
	Text    string
}

func (f *File) id() string {
	if f.ID != "" {
		return f.ID
	}
	return base64.URLEncoding.EncodeToString([]byte(f.Name))
}

// files answers about bundles and files of a project. It reports whether it did.
func (s *Server) files(w http.ResponseWriter, r *http.Request, path []string) bool {
	if len(path) < 5 || path[0] != "projects" || path[1] != "acme" {
		return false
	}
	i := slices.IndexFunc(s.Projects, func(p *Project) bool { return p.Slug == path[2] })
	if i < 0 {
		return false
	}
	switch p, rest := s.Projects[i], path[3:]; {
	case rest[0] == "files" && rest[1] == "artifact-bundles" && p.Bundles != nil:
		answer(w, s.page(w, r, p.bundles()))
		return true
	case len(rest) >= 3 && rest[0] == "artifact-bundles" && rest[2] == "files":
		for _, b := range p.Bundles {
			if b.ID == rest[1] {
				return s.ofBuild(w, r, b.Files, rest[3:], true)
			}
		}
	case len(rest) >= 3 && rest[0] == "releases" && rest[2] == "files":
		for _, release := range s.Releases {
			if release.Version == rest[1] && release.Files != nil {
				return s.ofBuild(w, r, release.Files, rest[3:], false)
			}
		}
	}
	return false
}

// bundles lists the bundles of a project.
func (p *Project) bundles() []any {
	rows := []any{}
	for _, b := range p.Bundles {
		releases := []any{}
		for _, name := range b.Releases {
			releases = append(releases, map[string]any{"release": name, "dist": nil})
		}
		rows = append(rows, map[string]any{"bundleId": b.ID, "associations": releases, "fileCount": len(b.Files)})
	}
	return rows
}

// ofBuild lists files, or gives one of them as it is.
func (s *Server) ofBuild(w http.ResponseWriter, r *http.Request, files []*File, id []string, bundle bool) bool {
	rows := []any{}
	for _, f := range files {
		switch {
		case len(id) == 1 && f.id() == id[0]:
			w.Header().Set("Content-Type", "application/octet-stream")
			_, _ = w.Write([]byte(f.Text))
			return true
		case bundle:
			rows = append(rows, f.inBundle())
		default:
			rows = append(rows, map[string]any{"id": f.id(), "name": f.Name, "dist": nil, "headers": map[string]any{"Sourcemap": f.Map}, "size": len(f.Text), "sha1": "da39a3ee", "dateCreated": "2026-11-01T00:00:00Z"})
		}
	}
	if len(id) > 0 {
		return false
	}
	page := s.page(w, r, rows)
	if bundle {
		answer(w, map[string]any{"bundleId": "b", "files": page})
	} else {
		answer(w, page)
	}
	return true
}

func (f *File) inBundle() map[string]any {
	row := map[string]any{"id": f.id(), "filePath": f.Name, "fileType": 2, "fileSize": len(f.Text), "debugId": nil, "sourcemap": nil}
	if strings.HasSuffix(f.Name, ".map") {
		row["fileType"] = 3
	}
	if f.DebugID != "" {
		row["debugId"] = f.DebugID
	}
	if f.Map != "" {
		row["sourcemap"] = f.Map
	}
	return row
}

func answer(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value)
}
