package sentryapi

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"sett/internal/event/sourcemap"
	"sett/internal/event/sourcemap/bundle"
	"sett/internal/ingest/event"
	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store/sourcemapdb"
)

// assembleWithin is how long storing the maps of a bundle may take.
const assembleWithin = 5 * time.Minute

// mostChunks is how many chunks an archive has at most: more than one of largestBundle needs, as clients choose smaller chunks too.
const mostChunks = 1_000

// bundleBody asks whether the chunks of a bundle are there, and to store what is in it if they are.
type bundleBody struct {
	Checksum string        `json:"checksum"`
	Chunks   []string      `json:"chunks"`
	Projects []projectName `json:"projects"`
	Version  *string       `json:"version"`
}

// bundleAnswer says how far an upload is. State is ok, not_found while chunks are missing, or error.
type bundleAnswer struct {
	State         string   `json:"state"`
	Detail        string   `json:"detail,omitempty"`
	MissingChunks []string `json:"missingChunks"`
}

// bundleUpload is what a bundleBody says.
type bundleUpload struct {
	checksum string
	chunks   []sourcemapdb.ChunkHash
	revision string // "": that of the bundle
	projects []accounts.NamedProject
}

// key is what source maps are stored with, to know that they are of this bundle.
func (u bundleUpload) key() string { return u.checksum + " " + u.revision }

// assembleBundle stores the source maps of a bundle. It answers ok only once all of them are durably stored, and at once if they are there
// already.
func (a *API) assembleBundle(w http.ResponseWriter, r *http.Request, c caller) error {
	u, err := a.readBundle(w, r, c)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), assembleWithin)
	defer cancel()
	if done, err := a.hasBundle(ctx, u); err != nil || done {
		return answerBundle(w, err)
	}
	archive, missing, err := a.SourceMaps.Chunks(ctx, c.sender(), u.chunks)
	if err != nil {
		return err
	}
	if len(missing) > 0 {
		answer := bundleAnswer{State: "not_found"}
		for _, hash := range missing {
			answer.MissingChunks = append(answer.MissingChunks, hex.EncodeToString(hash[:]))
		}
		return serve.WriteJSON(w, http.StatusOK, answer)
	}
	_, leave, err := a.Uploads.Enter(w, r, c.uploader(), nil, assembleWithin)
	if err != nil {
		return err
	}
	defer leave()
	err = a.storeBundle(ctx, u, archive)
	a.applyUploads()
	if err == nil || refused(err) {
		err = cmp.Or(a.SourceMaps.DropArchive(ctx, archive), err)
	}
	return answerBundle(w, err)
}

// refused reports whether an upload failed for what was sent, so that it fails again.
func refused(err error) bool {
	code := sett.CodeOf(err)
	return code == sett.Invalid || code == sett.TooLarge
}

// answerBundle answers that a bundle is stored, or why it cannot be.
func answerBundle(w http.ResponseWriter, err error) error {
	switch {
	case err == nil:
		return serve.WriteJSON(w, http.StatusOK, bundleAnswer{State: "ok", MissingChunks: []string{}})
	case refused(err):
		e, _ := errors.AsType[*sett.Error](err)
		return serve.WriteJSON(w, http.StatusOK, bundleAnswer{State: "error", Detail: e.Message, MissingChunks: []string{}})
	}
	return err
}

func (a *API) readBundle(w http.ResponseWriter, r *http.Request, c caller) (u bundleUpload, err error) {
	var body bundleBody
	if err := serve.DecodeJSON(w, r, &body); err != nil {
		return u, err
	}
	var p sett.Problems
	if hash, ok := parseHash(body.Checksum); ok {
		u.checksum = hex.EncodeToString(hash[:])
	} else {
		p.Add("checksum", "must be a SHA-1 in hexadecimal")
	}
	for _, text := range body.Chunks {
		hash, ok := parseHash(text)
		if !ok || len(u.chunks) == mostChunks {
			p.Add("chunks", "must be at most %d SHA-1s in hexadecimal", mostChunks)
			break
		}
		u.chunks = append(u.chunks, hash)
	}
	if len(body.Chunks) == 0 {
		p.Add("chunks", "must have the SHA-1 of at least one chunk")
	}
	if err := p.Refusal(); err != nil {
		return u, err
	}
	if body.Version != nil {
		u.revision = event.Name(*body.Version)
	}
	if version := r.PathValue("version"); version != "" {
		u.revision = event.Name(version)
	}
	u.projects, err = a.projectsOfRelease(r, c, body.Projects, u.revision)
	return u, err
}

func parseHash(text string) (hash sourcemapdb.ChunkHash, ok bool) {
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != len(hash) {
		return hash, false
	}
	return sourcemapdb.ChunkHash(b), true
}

// hasBundle reports whether all projects have all maps of a bundle.
func (a *API) hasBundle(ctx context.Context, u bundleUpload) (has bool, err error) {
	for _, p := range u.projects {
		if has, err = a.SourceMaps.HasBundle(ctx, a.Now(), p.ID, u.key()); err != nil || !has {
			return false, err
		}
	}
	return true, nil
}

// storeBundle stores all maps of a bundle. A map that cannot be used does not keep the others from being stored.
func (a *API) storeBundle(ctx context.Context, u bundleUpload, archive *sourcemapdb.Archive) error {
	if archive.Bytes > largestBundle {
		return sett.Errorf(sett.TooLarge, "The bundle has more than %d bytes. Upload its files in several bundles.", largestBundle)
	}
	if err := checkSum(u.checksum, archive); err != nil {
		return err
	}
	opened, err := bundle.Open(archive, archive.Bytes)
	if err != nil {
		return ofBundle(err)
	}
	var wrong []string
	for _, m := range opened.Maps {
		err := a.storeMap(ctx, u, opened, m)
		if err != nil && !refused(err) {
			return err
		}
		if err != nil {
			wrong = append(wrong, cmp.Or(m.URL, m.DebugID)+": "+err.Error())
		}
	}
	if len(wrong) > 0 {
		return sett.Errorf(sett.Invalid, "%d of %d source maps cannot be used, and the others are stored. %s", len(wrong), len(opened.Maps), strings.Join(wrong[:min(len(wrong), 3)], " "))
	}
	return nil
}

// checkSum compares the checksum of an archive with the one that its client sent.
func checkSum(checksum string, archive *sourcemapdb.Archive) error {
	sum := sourcemapdb.NewChecksum()
	if _, err := io.Copy(sum, io.NewSectionReader(archive, 0, archive.Bytes)); err != nil {
		return err
	}
	if hex.EncodeToString(sum.Sum(nil)) != checksum {
		return sett.Errorf(sett.Invalid, "The chunks have another checksum than the bundle. Upload it again.")
	}
	return nil
}

// ofBundle makes an error of a bundle one for its sender, if it is.
func ofBundle(err error) error {
	if e, ok := errors.AsType[*sourcemap.Error](err); ok {
		return sett.Errorf(sett.Invalid, "%s", e.Text)
	}
	return err
}

// storeMap stores a map of a bundle in each project.
func (a *API) storeMap(ctx context.Context, u bundleUpload, opened *bundle.Bundle, m bundle.Map) error {
	text, err := opened.Read(m)
	if err != nil {
		return ofBundle(err)
	}
	minified := opened.Minified(m)
	for _, p := range u.projects {
		err = a.Uploads.Save(ctx, a.Now(), sourcemapdb.Upload{
			ProjectID: p.ID, DebugID: m.DebugID, Revision: revisionOf(u.revision, opened.Release, m), URL: m.URL, Map: text,
			Bundle: u.key(), BundleMaps: len(opened.Maps),
		}, minified)
		if err != nil {
			return err
		}
	}
	return nil
}

// revisionOf returns the revision with which a map is found. One with a debug id is found without.
func revisionOf(asked, ofBundle string, m bundle.Map) string {
	switch revision := cmp.Or(asked, event.Name(ofBundle)); {
	case m.URL == "":
		return ""
	case revision == "" && m.DebugID == "":
		return sourcemapdb.DefaultRevision
	default:
		return revision
	}
}

// assembleDebugFiles refuses debug files of native programs, each by its checksum, so that nothing is uploaded in vain.
func (a *API) assembleDebugFiles(w http.ResponseWriter, r *http.Request, c caller) error {
	var asked map[string]struct{}
	if err := serve.DecodeJSON(w, r, &asked); err != nil {
		return err
	}
	if _, err := a.named(r, c, nil); err != nil {
		return err
	}
	answer := map[string]bundleAnswer{}
	for checksum := range asked {
		answer[checksum] = bundleAnswer{"error", "sett does not use debug files of native programs. Upload source maps with sentry-cli sourcemaps upload.", []string{}}
	}
	return serve.WriteJSON(w, http.StatusOK, answer)
}
