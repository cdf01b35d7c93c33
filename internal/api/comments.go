package api

import (
	"net/http"
	"time"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
)

const (
	commentsPath = faultPath + "/comments"
	commentPath  = commentsPath + "/{comment_id}"
)

func (a *API) commentRoutes() []serve.Route {
	const tag = "Comments"
	return []serve.Route{
		{
			Method: "GET", Path: commentsPath, Name: "listComments", Tag: tag, Permission: accounts.ReadProject,
			Result: serve.List[Comment]{}, Handle: a.listComments,
			Doc: "List the comments and events of a fault, oldest first.",
		},
		{
			Method: "POST", Path: commentsPath, Name: "createComment", Tag: tag, Permission: accounts.WorkFaults,
			Body: createCommentBody{}, Result: Comment{}, Status: http.StatusCreated, Handle: a.createComment,
			Doc: "Create a comment on a fault.",
		},
		{
			Method: "GET", Path: commentPath, Name: "getComment", Tag: tag, Permission: accounts.ReadProject,
			Result: Comment{}, Handle: a.getComment,
			Doc: "Get a comment.",
		},
		{
			Method: "PUT", Path: commentPath, Name: "updateComment", Tag: tag, Permission: accounts.WorkFaults,
			Body: commentBody{}, Status: http.StatusNoContent, Handle: a.updateComment,
			Doc: "Update the text of a comment. Allowed for its author and for admins and owners of the account. Events cannot be changed.",
		},
		{
			Method: "DELETE", Path: commentPath, Name: "deleteComment", Tag: tag, Permission: accounts.WorkFaults,
			Status: http.StatusNoContent, Handle: a.deleteComment,
			Doc: "Delete a comment. Allowed for its author and for admins and owners of the account. Events cannot be deleted.",
		},
	}
}

// Comment is a comment as the contract shows one, and who its author is.
type Comment struct {
	ID           int64     `json:"id"`
	FaultID      int64     `json:"fault_id"`
	Event        *string   `json:"event" enum:"resolved,unresolved,reopened,ignored,unignored,assigned,unassigned,paused,unpaused,resolve_on_deploy,resolve_on_deploy_cancelled,tagged,untagged,merged,split" doc:"Event of the fault; null for a comment by a user."`
	Source       string    `json:"source" enum:"web,user,system,tracker" doc:"web for users; user for feedback of a user of the application; tracker for comments on a linked issue; system for notices, deploys and trackers."`
	NoticesCount int64     `json:"notices_count" doc:"Number of notices of the fault at that time."`
	CreatedAt    time.Time `json:"created_at"`
	Author       string    `json:"author" doc:"Name of the user, for feedback as the user of the application gave it; empty for source system."`
	AuthorID     *int64    `json:"author_id" doc:"Id of the user; null for sources user and system."`
	Revision     string    `json:"revision" doc:"Revision of the notice that reopened the fault, or of the deploy that resolved it; empty if it named none."`
	Body         string    `json:"body"`
}

func viewComment(c faults.Comment) Comment {
	v := Comment{
		ID: c.ID, FaultID: c.FaultID, Event: nullText(string(c.Event)), Source: string(c.Source), NoticesCount: c.NoticesCount,
		CreatedAt: c.CreatedAt, Author: c.Author, Revision: c.Revision, Body: c.Body,
	}
	if c.AuthorID != 0 {
		v.AuthorID = &c.AuthorID
	}
	return v
}

func (a *API) listComments(w http.ResponseWriter, r *http.Request) error {
	if err := a.checkFault(r); err != nil {
		return err
	}
	var problems sett.Problems
	page := serve.PageOf(&problems, r)
	if err := problems.Refusal(); err != nil {
		return err
	}
	found, marks, err := a.Faults.ListComments(r.Context(), pathID(r, "project_id"), pathID(r, "fault_id"), page.Page)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, serve.NewList(a.BaseURL, r, page, viewAll(found, viewComment), marks))
}

// commentBody is the body of a comment's update.
type commentBody struct {
	Comment sett.Optional[faults.CommentChange] `json:"comment" required:"true"`
}

// createCommentBody is the body that makes a comment.
type createCommentBody struct {
	Comment sett.Optional[faults.CommentChange] `json:"comment" required:"true" needs:"body"`
}

func readCommentChange(w http.ResponseWriter, r *http.Request) (faults.CommentChange, error) {
	var body commentBody
	return readInside(w, r, &body, &body.Comment, "comment", `{"body": "Fixed in 4f2a9c1."}`)
}

func (a *API) createComment(w http.ResponseWriter, r *http.Request) error {
	change, err := readCommentChange(w, r)
	if err != nil {
		return err
	}
	c, err := a.Faults.CreateComment(r.Context(), a.Now(), userID(r), pathID(r, "project_id"), pathID(r, "fault_id"), change)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusCreated, viewComment(c))
}

func (a *API) getComment(w http.ResponseWriter, r *http.Request) error {
	if err := a.checkFault(r); err != nil {
		return err
	}
	c, err := a.Faults.CommentByID(r.Context(), pathID(r, "project_id"), pathID(r, "fault_id"), pathID(r, "comment_id"))
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, viewComment(c))
}

func (a *API) updateComment(w http.ResponseWriter, r *http.Request) error {
	user, project, fault, id := userID(r), pathID(r, "project_id"), pathID(r, "fault_id"), pathID(r, "comment_id")
	if err := a.Faults.CheckComment(r.Context(), user, project, fault, id); err != nil { // said before what is wrong with the body
		return err
	}
	change, err := readCommentChange(w, r)
	if err != nil {
		return err
	}
	return done(w, http.StatusNoContent, a.Faults.UpdateComment(r.Context(), user, project, fault, id, change))
}

func (a *API) deleteComment(w http.ResponseWriter, r *http.Request) error {
	if err := a.checkFault(r); err != nil {
		return err
	}
	err := a.Faults.DeleteComment(r.Context(), userID(r), pathID(r, "project_id"), pathID(r, "fault_id"), pathID(r, "comment_id"))
	return done(w, http.StatusNoContent, err)
}
