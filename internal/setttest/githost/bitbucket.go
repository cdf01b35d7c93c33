package githost

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"sett/internal/sett/repo"
)

func (s *Server) bucketLinks(path string) object {
	return object{"html": object{"href": s.URL() + path}}
}

func (s *Server) bucketCommit(c commit) object {
	return object{
		"type": "commit", "hash": c.sha, "message": c.message, "date": c.at.Format(time.RFC3339), "links": s.bucketLinks("/commits/" + c.sha),
		"author": object{"raw": c.author + " <" + c.email + ">"},
	}
}

var (
	bucketStates = map[repo.State]string{repo.Open: "OPEN", repo.Merged: "MERGED", repo.Closed: "DECLINED"}
	bucketChecks = map[repo.Checks]string{repo.ChecksPassed: "SUCCESSFUL", repo.ChecksFailed: "FAILED", repo.ChecksRunning: "INPROGRESS"}
)

func (s *Server) bucketChange(c *change) object {
	from := name
	if c.FromFork {
		from = "eve/shop"
	}
	o := object{
		"id": c.Number, "title": c.Title, "description": c.Body, "state": bucketStates[c.State], "draft": c.Draft, "author": object{"nickname": c.Author},
		"source":      object{"branch": object{"name": c.Branch}, "commit": object{"hash": short(c.HeadSHA)}, "repository": object{"full_name": from}},
		"destination": object{"branch": object{"name": c.Target}, "commit": object{"hash": short(s.exists("main"))}, "repository": object{"full_name": name}},
		"updated_on":  stamp(c.UpdatedAt), "links": s.bucketLinks(fmt.Sprintf("/pull-requests/%d", c.Number)), "merge_commit": nil,
	}
	if c.MergeSHA != "" {
		o["merge_commit"] = object{"hash": short(c.MergeSHA)}
	}
	return o
}

// bucketPage answers with a page and the address of the next.
func bucketPage[T any](s *Server, r *http.Request, all []T, each func(T) object) answer {
	part, number, more := page(r, all, "pagelen", 100)
	list := []object{}
	for _, one := range part {
		list = append(list, each(one))
	}
	o := object{"values": list, "pagelen": len(list)}
	if more {
		q := r.URL.Query()
		q.Set("page", strconv.Itoa(number+1))
		o["next"] = s.at(r.URL.EscapedPath() + "?" + q.Encode())
	}
	return o
}

func (s *Server) routesOfBitbucket() {
	const at = "/2.0/repositories/" + name
	handle := func(pattern string, f func(r *http.Request, _ http.Header) answer) {
		method, path, _ := strings.Cut(pattern, " ")
		s.handle(repo.Bitbucket, method+" "+at+path, f)
	}
	known := func(f func(r *http.Request, c commit) answer) func(*http.Request, http.Header) answer {
		return func(r *http.Request, _ http.Header) answer {
			if c := s.one(r.PathValue("sha")); c.sha != "" {
				return f(r, c)
			}
			return refusal(http.StatusNotFound)
		}
	}
	changed := func(f func(r *http.Request, c *change) answer) func(*http.Request, http.Header) answer {
		return func(r *http.Request, _ http.Header) answer {
			if c := s.change(numberOf(r, "number")); c != nil {
				return f(r, c)
			}
			return refusal(http.StatusNotFound)
		}
	}
	handle("GET ", func(*http.Request, http.Header) answer {
		return object{"full_name": name, "mainbranch": object{"name": "main"}, "links": s.bucketLinks("")}
	})
	handle("GET /commits/{sha}", known(func(r *http.Request, c commit) answer {
		args := []string{c.sha}
		if not := r.FormValue("exclude"); not != "" {
			args = append(args, "^"+not)
		}
		if path := r.FormValue("path"); path != "" {
			args = append(args, "--", path)
		}
		return bucketPage(s, r, s.log(args...), s.bucketCommit)
	}))
	handle("GET /commit/{sha}", known(func(_ *http.Request, c commit) answer { return s.bucketCommit(c) }))
	handle("GET /merge-base/{both}", func(r *http.Request, _ http.Header) answer {
		a, b := ends(r.PathValue("both"), "..")
		out, err := s.try("merge-base", a, b)
		if err != nil {
			return refusal(http.StatusNotFound)
		}
		return s.bucketCommit(s.one(strings.TrimSpace(out)))
	})
	handle("GET /diffstat/{sha}", known(func(r *http.Request, c commit) answer {
		return bucketPage(s, r, s.withFiles(c).status, func(f fileStatus) object {
			o := object{"new": object{"path": f.path}, "old": object{"path": f.old}}
			switch f.kind {
			case "A":
				o["old"] = nil
			case "D":
				o["new"] = nil
			}
			return o
		})
	}))
	handle("GET /src/{sha}/{path...}", known(func(r *http.Request, c commit) answer {
		if path := r.PathValue("path"); path != "" {
			return s.fileOr404(c.sha, path)
		}
		return bucketPage(s, r, append([]string{"app"}, s.tree(c.sha)...), func(path string) object {
			kind := "commit_file"
			if path == "app" {
				kind = "commit_directory"
			}
			return object{"path": path, "type": kind}
		})
	}))
	handle("GET /commit/{sha}/pullrequests", known(func(r *http.Request, c commit) answer {
		return bucketPage(s, r, s.changesOf(c.sha), func(c *change) object { return object{"id": c.Number, "title": c.Title} })
	}))
	handle("GET /commit/{sha}/statuses", known(func(r *http.Request, c commit) answer {
		all := []string{}
		if state := bucketChecks[s.checks[c.sha]]; state != "" {
			all = append(all, "SUCCESSFUL", state)
		}
		return bucketPage(s, r, all, func(state string) object { return object{"state": state} })
	}))
	handle("GET /pullrequests/{number}", changed(func(_ *http.Request, c *change) answer { return s.bucketChange(c) }))
	type text struct{ Content struct{ Raw string } }
	handle("GET /pullrequests/{number}/comments", changed(func(r *http.Request, c *change) answer {
		return bucketPage(s, r, s.comments[c.Number], func(c comment) object {
			return object{"id": c.id, "content": object{"raw": c.body}, "deleted": false}
		})
	}))
	handle("POST /pullrequests/{number}/comments", changed(func(r *http.Request, c *change) answer {
		return object{"id": s.addComment(c.Number, bodyOf[text](r).Content.Raw).id}
	}))
	handle("PUT /pullrequests/{number}/comments/{id}", changed(func(r *http.Request, _ *change) answer {
		if !s.editComment(numberOf(r, "id"), bodyOf[text](r).Content.Raw) {
			return refusal(http.StatusNotFound)
		}
		return object{}
	}))
}
