package githost

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"sett/internal/sett/repo"
)

// object is JSON.
type object = map[string]any

func (s *Server) hubRepository() object {
	return object{
		"id": 7, "name": "shop", "full_name": name, "html_url": s.URL(), "default_branch": "main", "fork": false, "size": 12, "empty": s.exists("main") == "",
	}
}

func (s *Server) hubCommit(h repo.Host, c commit, files bool) object {
	date := c.at.Format(time.RFC3339)
	person := object{"name": c.author, "email": c.email, "date": date}
	o := object{
		"sha": c.sha, "html_url": s.commitURL(h, c.sha), "parents": []object{},
		"commit": object{"message": c.message, "author": person, "committer": person},
	}
	if files {
		all := []object{}
		for _, f := range s.withFiles(c).status {
			one := object{"filename": f.path, "status": f.kind}
			if f.kind == "R" {
				one["previous_filename"] = f.old
			}
			all = append(all, one)
		}
		o["files"] = all
	}
	return o
}

func (s *Server) hubCommits(h repo.Host, commits []commit) []object {
	all := []object{}
	for _, c := range commits {
		all = append(all, s.hubCommit(h, c, false))
	}
	return all
}

func (s *Server) hubPull(h repo.Host, c *change) object {
	head := s.hubRepository()
	if c.FromFork {
		head["id"], head["full_name"], head["fork"] = 8, "eve/shop", true
	}
	state := "open"
	if c.State != repo.Open {
		state = "closed"
	}
	merge := orNull(c.MergeSHA)
	if c.State != repo.Merged && h == repo.GitHub {
		merge = s.exists("main") // a trial merge has some id
	}
	return object{
		"number": c.Number, "title": c.Title, "body": c.Body, "html_url": s.changeURL(h, c.Number), "state": state, "draft": c.Draft,
		"merged": c.State == repo.Merged, "merged_at": stamp(c.MergedAt), "merge_commit_sha": merge, "updated_at": stamp(c.UpdatedAt),
		"user": object{"login": c.Author}, "head": object{"ref": c.Branch, "sha": c.HeadSHA, "repo": head},
		"base": object{"ref": c.Target, "sha": s.exists("main"), "repo": s.hubRepository()},
	}
}

var hubStates = map[repo.Checks]string{repo.ChecksPassed: "success", repo.ChecksFailed: "failure", repo.ChecksRunning: "pending"}

// routesOfHub adds what GitHub and Gitea have in common, behind an address.
func (s *Server) routesOfHub(h repo.Host, at string) {
	s.handle(h, "GET "+at, func(*http.Request, http.Header) answer { return s.hubRepository() })
	s.handle(h, "GET "+at+"/pulls/{number}", func(r *http.Request, _ http.Header) answer {
		if c := s.change(numberOf(r, "number")); c != nil {
			return s.hubPull(h, c)
		}
		return refusal(http.StatusNotFound)
	})
	s.handle(h, "GET "+at+"/commits/{sha}/status", func(r *http.Request, _ http.Header) answer {
		state, total := hubStates[s.checks[s.exists(r.PathValue("sha"))]], 1
		if state == "" {
			state, total = "pending", 0
		}
		return object{"state": state, "total_count": total, "statuses": []object{}}
	})
	s.handle(h, "GET "+at+"/issues/{number}/comments", func(r *http.Request, _ http.Header) answer {
		if s.change(numberOf(r, "number")) == nil {
			return refusal(http.StatusNotFound)
		}
		all := []object{}
		for _, c := range s.comments[numberOf(r, "number")] {
			all = append(all, object{"id": c.id, "body": c.body})
		}
		if h == repo.Gitea {
			return all
		}
		part, _, _ := page(r, all, "per_page", 100)
		return part
	})
	s.handle(h, "POST "+at+"/issues/{number}/comments", func(r *http.Request, _ http.Header) answer {
		if s.change(numberOf(r, "number")) == nil {
			return refusal(http.StatusNotFound)
		}
		return object{"id": s.addComment(numberOf(r, "number"), bodyOf[struct{ Body string }](r).Body).id}
	})
	s.handle(h, "PATCH "+at+"/issues/comments/{id}", func(r *http.Request, _ http.Header) answer {
		if !s.editComment(numberOf(r, "id"), bodyOf[struct{ Body string }](r).Body) {
			return refusal(http.StatusNotFound)
		}
		return object{}
	})
}

func (s *Server) routesOfGitHub() {
	const at = "/api/v3/repos/" + name
	s.routesOfHub(repo.GitHub, at)
	s.routesOfApp(at)
	s.handle(repo.GitHub, "GET "+at+"/commits", func(*http.Request, http.Header) answer {
		return s.hubCommits(repo.GitHub, s.log("-1", "main"))
	})
	s.handle(repo.GitHub, "GET "+at+"/commits/{sha}", func(r *http.Request, _ http.Header) answer {
		c := s.one(r.PathValue("sha"))
		if c.sha == "" {
			return refusal(http.StatusUnprocessableEntity)
		}
		o := s.hubCommit(repo.GitHub, c, true)
		o["files"], _, _ = page(r, o["files"].([]object), "per_page", 300)
		return o
	})
	s.handle(repo.GitHub, "GET "+at+"/commits/{sha}/pulls", func(r *http.Request, _ http.Header) answer {
		all := []object{}
		for _, c := range s.changesOf(s.exists(r.PathValue("sha"))) {
			o := s.hubPull(repo.GitHub, c)
			delete(o, "merged") // as in all lists of GitHub
			all = append(all, o)
		}
		return all
	})
	s.handle(repo.GitHub, "GET "+at+"/commits/{sha}/check-runs", func(r *http.Request, _ http.Header) answer {
		runs := []object{}
		switch s.checks[s.exists(r.PathValue("sha"))] {
		case repo.ChecksPassed:
			runs = append(runs, object{"status": "completed", "conclusion": "success"}, object{"status": "completed", "conclusion": "skipped"})
		case repo.ChecksFailed:
			runs = append(runs, object{"status": "completed", "conclusion": "success"}, object{"status": "completed", "conclusion": "timed_out"})
		case repo.ChecksRunning:
			runs = append(runs, object{"status": "in_progress", "conclusion": nil})
		}
		return object{"total_count": len(runs), "check_runs": runs}
	})
	s.handle(repo.GitHub, "GET "+at+"/compare/{both}", s.compareOnGitHub)
	s.handle(repo.GitHub, "GET "+at+"/git/trees/{sha}", func(r *http.Request, _ http.Header) answer { return s.hubTree(r, 100_000) })
	s.handle(repo.GitHub, "GET "+at+"/contents/{path...}", func(r *http.Request, _ http.Header) answer {
		return s.fileOr404(r.FormValue("ref"), r.PathValue("path"))
	})
	s.handle(repo.GitHub, "POST /api/graphql", s.blameOnGitHub)
}

func (s *Server) fileOr404(sha, path string) answer {
	if text, ok := s.file(sha, path); ok {
		return text
	}
	return refusal(http.StatusNotFound)
}

func (s *Server) hubTree(r *http.Request, most int) answer {
	sha := s.exists(r.PathValue("sha"))
	if sha == "" {
		return refusal(http.StatusNotFound)
	}
	all := []object{{"path": "app", "type": "tree"}}
	for _, p := range s.tree(sha) {
		all = append(all, object{"path": p, "type": "blob"})
	}
	part, number, more := page(r, all, "per_page", most)
	return object{"sha": sha, "tree": part, "truncated": more, "page": number, "total_count": len(all)}
}

func (s *Server) compareOnGitHub(r *http.Request, _ http.Header) answer {
	base, head := ends(r.PathValue("both"), "...")
	if base, head = s.exists(base), s.exists(head); base == "" || head == "" {
		return refusal(http.StatusNotFound)
	}
	ahead, behind := s.log("--reverse", base+".."+head), s.log(head+".."+base)
	status := "identical"
	switch {
	case len(ahead) > 0 && len(behind) > 0:
		status = "diverged"
	case len(ahead) > 0:
		status = "ahead"
	case len(behind) > 0:
		status = "behind"
	}
	part, _, _ := page(r, ahead, "per_page", 250)
	return object{
		"status": status, "ahead_by": len(ahead), "behind_by": len(behind), "total_commits": len(ahead), "commits": s.hubCommits(repo.GitHub, part),
		"html_url": s.URL() + "/compare/" + base + "..." + head,
	}
}

func (s *Server) blameOnGitHub(r *http.Request, _ http.Header) answer {
	v := bodyOf[struct {
		Variables struct{ Owner, Name, SHA, Path string }
	}](r).Variables
	if v.Owner+"/"+v.Name != name {
		return object{"data": object{"repository": nil}, "errors": []object{{"type": "NOT_FOUND"}}}
	}
	sha := s.exists(v.SHA)
	if sha == "" {
		return object{"data": object{"repository": object{"object": nil}}}
	}
	ranges := []object{}
	for _, b := range s.blame(sha, v.Path, 0, 0) {
		ranges = append(ranges, object{"startingLine": b.from, "endingLine": b.to, "commit": object{
			"oid": b.sha, "message": b.message, "committedDate": b.at.Format(time.RFC3339), "url": s.commitURL(repo.GitHub, b.sha),
			"author": object{"name": b.author, "email": b.email},
		}})
	}
	if len(ranges) == 0 {
		return object{"data": object{"repository": object{"object": object{"blame": nil}}}, "errors": []object{{"type": "NOT_FOUND"}}}
	}
	return object{"data": object{"repository": object{"object": object{"blame": object{"ranges": ranges}}}}}
}

func (s *Server) routesOfGitea() {
	const at = "/api/v1/repos/" + name
	s.routesOfHub(repo.Gitea, at)
	s.handle(repo.Gitea, "GET "+at+"/commits", func(r *http.Request, header http.Header) answer {
		args := []string{"main"}
		if sha := r.FormValue("sha"); sha != "" {
			switch args[0] = s.exists(sha); {
			case args[0] != "":
			case r.FormValue("path") != "":
				return refusal(http.StatusInternalServerError)
			default:
				return refusal(http.StatusNotFound)
			}
		}
		if not := r.FormValue("not"); not != "" {
			if s.exists(not) == "" {
				return refusal(http.StatusInternalServerError) // as Gitea does
			}
			args = append(args, "^"+not)
		}
		if path := r.FormValue("path"); path != "" {
			args = append(args, "--", path)
		}
		all := s.log(args...)
		if r.FormValue("path") != "" && len(all) == 0 {
			return refusal(http.StatusNotFound)
		}
		part, _, _ := page(r, all, "limit", 50)
		header.Set("X-Total-Count", strconv.Itoa(len(all)))
		return s.hubCommits(repo.Gitea, part)
	})
	s.handle(repo.Gitea, "GET "+at+"/git/commits/{sha}", func(r *http.Request, _ http.Header) answer {
		if c := s.one(r.PathValue("sha")); c.sha != "" {
			return s.hubCommit(repo.Gitea, c, r.FormValue("files") != "false")
		}
		return refusal(http.StatusNotFound)
	})
	s.handle(repo.Gitea, "GET "+at+"/commits/{sha}/pull", func(r *http.Request, _ http.Header) answer {
		for _, c := range s.changesOf(s.exists(r.PathValue("sha"))) {
			if c.MergeSHA == s.exists(r.PathValue("sha")) { // Gitea knows no other
				return s.hubPull(repo.Gitea, c)
			}
		}
		return refusal(http.StatusNotFound)
	})
	s.handle(repo.Gitea, "GET "+at+"/git/trees/{sha}", func(r *http.Request, _ http.Header) answer { return s.hubTree(r, 1_000) })
	s.handle(repo.Gitea, "GET "+at+"/raw/{path...}", func(r *http.Request, _ http.Header) answer {
		return s.fileOr404(r.FormValue("ref"), r.PathValue("path"))
	})
}

// short is an id of a commit as Bitbucket shortens it.
func short(sha string) string { return fmt.Sprintf("%.12s", sha) }
