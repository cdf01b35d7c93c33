package api

import (
	"net/http"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
)

// attachmentMedia is the media type of all downloads through the API.
const attachmentMedia = "application/octet-stream"

const attachmentsPath = faultPath + "/notices/{notice_id}/attachments"

func (a *API) attachmentRoutes() []serve.Route {
	const tag = "Faults"
	return []serve.Route{
		{
			Method: "GET", Path: attachmentsPath, Name: "listAttachments", Tag: tag, Permission: accounts.ReadProject,
			Result: Attachments{}, Handle: a.listAttachments,
			Doc: "List the files that a client sent with a notice, in the order in which they came. There are at most 20.",
		},
		{
			Method: "GET", Path: attachmentsPath + "/{attachment_id}", Name: "getAttachment", Tag: tag, Permission: accounts.ReadProject,
			Media: attachmentMedia, Handle: a.getAttachment,
			Doc: "Download an attachment. The list says what media type its content has.",
		},
	}
}

// Attachments are the files of a notice.
type Attachments struct {
	Attachments []Attachment `json:"attachments"`
}

// Attachment is a file that a client sent with a notice.
type Attachment struct {
	ID          int64  `json:"id"`
	Name        string `json:"name" doc:"A file name. What means something in paths was removed."`
	ContentType string `json:"content_type" doc:"Media type of the content: that of a PNG, JPEG, GIF or WebP picture, text/plain, application/json, or application/octet-stream."`
	Size        int64  `json:"size" doc:"Bytes."`
}

func viewAttachment(a faults.Attachment) Attachment {
	return Attachment{ID: a.ID, Name: a.Name, ContentType: a.Type, Size: a.Bytes}
}

// noticeInPath returns the id of the notice in the path, which must be one of the fault there.
func (a *API) noticeInPath(r *http.Request) (sett.NoticeID, error) {
	missing := sett.Errorf(sett.NotFound, "Notice not found")
	uuid, err := sett.ParseUUID(r.PathValue("notice_id"))
	if err != nil {
		return 0, missing
	}
	n, err := a.Faults.NoticeByUUID(r.Context(), pathID(r, "project_id"), uuid)
	if err == nil && n.FaultID != pathID(r, "fault_id") {
		err = missing
	}
	return n.Key, err
}

func (a *API) listAttachments(w http.ResponseWriter, r *http.Request) error {
	notice, err := a.noticeInPath(r)
	if err != nil {
		return err
	}
	all, err := a.Attachments.List(r.Context(), pathID(r, "project_id"), notice)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, Attachments{viewAll(all, viewAttachment)})
}

func (a *API) getAttachment(w http.ResponseWriter, r *http.Request) error {
	notice, err := a.noticeInPath(r)
	if err != nil {
		return err
	}
	found, file, err := a.Attachments.File(r.Context(), pathID(r, "project_id"), notice, pathID(r, "attachment_id"))
	if err != nil {
		return err
	}
	serve.SendFile(w, serve.File{Name: found.Name, Type: attachmentMedia, Body: file})
	return nil
}
