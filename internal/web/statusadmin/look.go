package statusadmin

import (
	"encoding/base64"
	"fmt"
	"net/http"

	"sett/internal/sett"
	"sett/internal/sett/status"
	"sett/internal/sett/status/locale"
	"sett/internal/sett/status/logo"
	"sett/internal/web"
)

// logoForm is the form of a page's logo.
type logoForm struct {
	status.StatusLogo
	Problem string
}

// languageField lets the owner of a page choose its language.
func languageField(page status.StatusPage) web.Field {
	choices := web.Choices("", "The visitor’s browser language")
	for _, l := range locale.All() {
		choices = append(choices, web.Choice{Value: string(l), Label: l.Name()})
	}
	return web.Field{
		Name: "language", Label: "Language", Kind: "select", Value: string(page.Language), Choices: choices, Optional: true,
		Hint: "Language of built-in text and subscriber emails.",
	}
}

// accentField shows what becomes of the accent color in light and in dark.
func accentField(color string) web.Field {
	return web.Field{
		Name: "features.accent_color", Label: "Accent color", Kind: "text", Value: color, Optional: true, Code: true, Hint: accentHint(color),
	}
}

func accentHint(color string) string {
	if color == "" {
		return "Color of links and buttons, for example #2f4fa8."
	}
	light, dark := status.Accents(color)
	if !light.Changed && !dark.Changed {
		return "Color of links and buttons. It has enough contrast in light and in dark."
	}
	return fmt.Sprintf("Color of links and buttons. For contrast, it is shown as %s in light and as %s in dark.", light.Color, dark.Color)
}

func (p *pages) saveLogo(w http.ResponseWriter, r *http.Request) error {
	if _, err := p.Status.StatusPageByID(r.Context(), account(r), r.PathValue("status_page_id")); err != nil {
		return err
	}
	_, files, err := web.ReadFiles(w, r, "logo", logo.MostBytes)
	if err != nil {
		return err
	}
	if len(files) == 0 || len(files[0].Text) == 0 {
		return p.showLogoProblem(w, r, sett.Refuse("logo", "is missing. Choose a file first"))
	}
	c := status.StatusPageChange{Logo: sett.Some(base64.StdEncoding.EncodeToString(files[0].Text))}.Prepare()
	return p.change(w, r, c, to(r, "/edit"), "saved", explainLogo)
}

func (p *pages) showLogoProblem(w http.ResponseWriter, r *http.Request, problem error) error {
	page, _, err := p.edit(r)
	if err != nil {
		return err
	}
	explainLogo(page, problem)
	return p.Again(w, r, problem, "status_edit", page)
}

func explainLogo(page *editPage, err error) {
	fields := web.Fields{{Name: "logo", Label: "The logo"}}
	fields.Explain(sett.ProblemsOf(err))
	page.Logo.Problem = fields[0].Problem
}

func (p *pages) removeLogo(w http.ResponseWriter, r *http.Request) error {
	if _, err := web.ReadForm(w, r); err != nil {
		return err
	}
	c := status.StatusPageChange{Logo: sett.Optional[string]{Sent: true, Null: true}}
	return p.change(w, r, c, to(r, "/edit"), "logo_gone", func(*editPage, error) {})
}
