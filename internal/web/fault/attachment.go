package fault

import (
	"fmt"
	"net/http"
	"strconv"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/faults"
	"sett/internal/web"
)

const attachmentPath = faultPath + "/{notice_id}/attachments/{attachment_id}"

// attachment is a file that was sent with an event.
type attachment struct {
	faults.Attachment
	Path string
}

// Size returns how long the file is.
func (a attachment) Size() string {
	if a.Bytes < 1000 {
		return fmt.Sprintf("%d bytes", a.Bytes)
	}
	return fmt.Sprintf("%d kB", (a.Bytes+500)/1000)
}

// attachmentsOf returns the attachments of an event.
func attachmentsOf(n faults.Notice, all []faults.Attachment) (files []attachment) {
	for _, a := range all {
		files = append(files, attachment{a, fmt.Sprintf("%s/%s/attachments/%d", faultAddress(n.ProjectID, n.FaultID), n.ID, a.ID)})
	}
	return files
}

// download answers with an attachment of an event, which browsers save.
func (p *pages) download(w http.ResponseWriter, r *http.Request) error {
	missing := sett.Errorf(sett.NotFound, "Not found: this event has no such file. Its retention period may have ended.")
	uuid, err := sett.ParseUUID(r.PathValue("notice_id"))
	id, failed := strconv.ParseInt(r.PathValue("attachment_id"), 10, 64)
	if err != nil || failed != nil {
		return missing
	}
	n, err := p.Faults.NoticeByUUID(r.Context(), web.Project(r), uuid)
	if err != nil {
		return err
	}
	if strconv.FormatInt(n.FaultID, 10) != r.PathValue("fault_id") {
		return missing
	}
	found, file, err := p.Attachments.File(r.Context(), n.ProjectID, n.Key, id)
	if err != nil {
		return err
	}
	serve.SendFile(w, serve.File{Name: found.Name, Type: found.Type, Body: file})
	return nil
}
