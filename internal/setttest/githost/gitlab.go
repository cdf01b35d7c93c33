package githost

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"sett/internal/sett/repo"
)

func (s *Server) labCommit(c commit) object {
	title, _, _ := strings.Cut(c.message, "\n")
	return object{
		"id": c.sha, "short_id": c.sha[:8], "title": title, "message": c.message, "author_name": c.author, "author_email": c.email,
		"authored_date": c.at.Format(time.RFC3339), "committed_date": c.at.Format(time.RFC3339), "web_url": s.commitURL(repo.GitLab, c.sha),
		"parent_ids": c.parents,
	}
}

// sourceOf is the project that a change comes from.
func sourceOf(c *change) int {
	if c.FromFork {
		return 8
	}
	return 7
}

var labStates = map[repo.State]string{repo.Open: "opened", repo.Merged: "merged", repo.Closed: "closed"}

// labMerge returns the ids of a merged change: GitLab names the commit that squashed it apart, and none if the branch was only moved.
func (s *Server) labMerge(c *change) (merge, squash, head string) {
	switch {
	case c.State != repo.Merged:
		return "", "", c.HeadSHA
	case len(s.one(c.MergeSHA).parents) > 1:
		return c.MergeSHA, "", c.HeadSHA
	case strings.HasPrefix(s.one(c.MergeSHA).message, c.Title+"\n\n"+c.Body):
		return "", c.MergeSHA, c.HeadSHA
	}
	return "", "", c.MergeSHA // it rebases the branch itself
}

func (s *Server) labChange(c *change) object {
	merge, squash, head := s.labMerge(c)
	return object{
		"iid": c.Number, "title": c.Title, "description": c.Body, "web_url": s.changeURL(repo.GitLab, c.Number), "state": labStates[c.State],
		"draft": c.Draft, "source_branch": c.Branch, "target_branch": c.Target, "source_project_id": sourceOf(c), "target_project_id": 7,
		"sha": head, "merge_commit_sha": orNull(merge), "squash_commit_sha": orNull(squash), "author": object{"username": c.Author},
		"updated_at": stamp(c.UpdatedAt), "merged_at": stamp(c.MergedAt),
	}
}

// labPage answers with a page, and says which is the next.
func labPage[T any](r *http.Request, header http.Header, all []T, each func(T) object) answer {
	part, number, more := page(r, all, "per_page", 100)
	header.Set("X-Next-Page", "")
	if more {
		header.Set("X-Next-Page", strconv.Itoa(number+1))
	}
	list := []object{}
	for _, one := range part {
		list = append(list, each(one))
	}
	return list
}

func (s *Server) routesOfGitLab() {
	const at = "/api/v4/projects/{id}"
	handle := func(pattern string, f func(r *http.Request, header http.Header) answer) {
		method, path, _ := strings.Cut(pattern, " ")
		s.handle(repo.GitLab, method+" "+at+path, func(r *http.Request, header http.Header) answer {
			if r.PathValue("id") != name {
				return refusal(http.StatusNotFound)
			}
			return f(r, header)
		})
	}
	// known calls f with the commit that the path or a parameter names.
	known := func(f func(r *http.Request, header http.Header, c commit) answer) func(*http.Request, http.Header) answer {
		return func(r *http.Request, header http.Header) answer {
			sha := r.PathValue("sha")
			if sha == "" {
				sha = r.FormValue("ref")
			}
			if c := s.one(sha); c.sha != "" {
				return f(r, header, c)
			}
			return refusal(http.StatusNotFound)
		}
	}
	handle("GET ", func(*http.Request, http.Header) answer {
		return object{"id": 7, "path_with_namespace": name, "web_url": s.URL(), "default_branch": "main", "empty_repo": s.exists("main") == ""}
	})
	handle("GET /repository/commits", func(r *http.Request, header http.Header) answer {
		of := r.FormValue("ref_name")
		if of == "" {
			of = "main"
		}
		return labPage(r, header, s.log(of), s.labCommit)
	})
	handle("GET /repository/commits/{sha}", known(func(_ *http.Request, _ http.Header, c commit) answer { return s.labCommit(c) }))
	handle("GET /repository/commits/{sha}/diff", known(func(r *http.Request, header http.Header, c commit) answer {
		return labPage(r, header, s.withFiles(c).status, func(f fileStatus) object { return object{"new_path": f.path, "old_path": f.old} })
	}))
	handle("GET /repository/commits/{sha}/merge_requests", known(func(r *http.Request, header http.Header, c commit) answer {
		return labPage(r, header, s.changesOf(c.sha), s.labChange)
	}))
	handle("GET /repository/merge_base", func(r *http.Request, _ http.Header) answer {
		_ = r.ParseForm()
		out, err := s.try(append([]string{"merge-base"}, r.Form["refs[]"]...)...)
		if err != nil {
			return refusal(http.StatusNotFound)
		}
		return s.labCommit(s.one(strings.TrimSpace(out)))
	})
	handle("GET /repository/files/{path}/blame", known(func(r *http.Request, _ http.Header, c commit) answer {
		from, _ := strconv.Atoi(r.FormValue("range[start]"))
		to, _ := strconv.Atoi(r.FormValue("range[end]"))
		runs := []object{}
		for _, b := range s.blame(c.sha, r.PathValue("path"), from, to) {
			runs = append(runs, object{"commit": s.labCommit(b.commit), "lines": b.lines})
		}
		if len(runs) == 0 {
			return refusal(http.StatusNotFound)
		}
		return runs
	}))
	handle("GET /repository/files/{path}/raw", known(func(r *http.Request, _ http.Header, c commit) answer {
		return s.fileOr404(c.sha, r.PathValue("path"))
	}))
	handle("GET /repository/tree", known(func(r *http.Request, header http.Header, c commit) answer {
		return labPage(r, header, append([]string{"app"}, s.tree(c.sha)...), func(path string) object {
			kind := "blob"
			if path == "app" {
				kind = "tree"
			}
			return object{"path": path, "type": kind}
		})
	}))
	handle("GET /merge_requests/{number}", func(r *http.Request, _ http.Header) answer {
		if c := s.change(numberOf(r, "number")); c != nil {
			return s.labChange(c)
		}
		return refusal(http.StatusNotFound)
	})
	handle("GET /pipelines", func(r *http.Request, _ http.Header) answer {
		if state := labChecks[s.checks[r.FormValue("sha")]]; state != "" {
			return []object{{"status": state}}
		}
		return []object{}
	})
	handle("GET /merge_requests/{number}/notes", func(r *http.Request, header http.Header) answer {
		if s.change(numberOf(r, "number")) == nil {
			return refusal(http.StatusNotFound)
		}
		return labPage(r, header, s.comments[numberOf(r, "number")], func(c comment) object { return object{"id": c.id, "body": c.body} })
	})
	handle("POST /merge_requests/{number}/notes", func(r *http.Request, _ http.Header) answer {
		return object{"id": s.addComment(numberOf(r, "number"), bodyOf[struct{ Body string }](r).Body).id}
	})
	handle("PUT /merge_requests/{number}/notes/{note}", func(r *http.Request, _ http.Header) answer {
		if !s.editComment(numberOf(r, "note"), bodyOf[struct{ Body string }](r).Body) {
			return refusal(http.StatusNotFound)
		}
		return object{}
	})
}

var labChecks = map[repo.Checks]string{repo.ChecksPassed: "success", repo.ChecksFailed: "failed", repo.ChecksRunning: "running"}
