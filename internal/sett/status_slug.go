package sett

import (
	"slices"
	"strings"
)

// How long the slug of a status page is, and one that is made of its name, which may be given a tail.
const (
	shortestStatusSlug = 3
	longestStatusSlug  = 60
	longestSlugOfName  = longestStatusSlug - 1 - statusSlugTailLength
)

func (c StatusPageChange) setSlug(p *Problems, page *StatusPage) {
	const field = "slug"
	set(p, field, c.Slug, &page.Slug, "")
	foreign := func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' }
	switch slug := page.Slug; {
	case slug == "":
	case strings.ContainsFunc(slug, foreign) || strings.HasPrefix(slug, "-") || strings.HasSuffix(slug, "-"):
		p.Add(field, "must be of lower-case letters a-z, digits and hyphens, without a hyphen at an end")
	case len(slug) < shortestStatusSlug || len(slug) > longestStatusSlug:
		p.Add(field, "must have from %d to %d characters", shortestStatusSlug, longestStatusSlug)
	}
}

// StatusSlugs returns what the slug of a page with the name may be, the best first; all but that one have a random tail.
func StatusSlugs(name string) []string {
	const tries = 5
	best := slugOfName(name)
	slugs := []string{best}
	for range tries {
		slugs = append(slugs, best+"-"+strings.ToLower(RandomString(statusSlugTailLength)))
	}
	return slugs
}

func slugOfName(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	if len(strings.Join(words, "-")) < shortestStatusSlug {
		words = slices.Insert(words, 0, "status")
	}
	slug := strings.Join(words, "-")
	return strings.TrimRight(slug[:min(len(slug), longestSlugOfName)], "-")
}
