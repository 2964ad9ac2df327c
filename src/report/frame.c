/* SPDX-License-Identifier: Apache-2.0 */
#include "frame.h"

#include <ctype.h>
#include <string.h>

#include "assay/base/printable.h"
#include "assay/report/report.h"
#include "html.h"
#include "language.h"
#include "report_formats.h"

/* Inside CSS: only characters that cannot end a string there. */
static void write_foot(struct text *out, const char *foot)
{
    struct slice character;

    html_markup(out, "@page { @bottom-left { content: \"");
    while (printable_next(&foot, &character))
        if (isalnum((unsigned char)character.bytes[0]) || (character.bytes[0] & 0x80) != 0 ||
            strchr(" -", character.bytes[0]) != NULL)
            text_add(out, character.bytes, character.length);
    html_markup(out, "\"; } }\n");
}

static void write_page_number(struct text *out, enum report_language language)
{
    cleanup_arena struct arena *arena = arena_create();

    html_markup(out, "@page { @bottom-right { content: \"");
    text_put(out, language_say(arena, language, TEXT_PAGE_OF, "\" counter(page) \"", "\" counter(pages) \""));
    html_markup(out, "\"; } }\n");
}

static void open_head(struct text *out, enum report_language language)
{
    html_markup(out, "<!DOCTYPE html>\n<html lang=\"");
    html_text(out, language_of(language)->html);
    html_markup(out, "\">\n<head>\n<meta charset=\"utf-8\">\n"
                     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                     "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; ");
}

static void put_title(struct text *out, const char *title)
{
    html_markup(out, "<link rel=\"icon\" href=\"data:,\">\n<title>");
    html_text(out, title);
    html_markup(out, "</title>\n");
}

/* With style and script in it, up to the end of the style. */
static void open_whole(struct text *out, enum report_language language, const char *title)
{
    open_head(out, language);
    html_markup(out, "style-src 'unsafe-inline'; img-src data:; script-src 'sha256-");
    text_put(out, report_js_sha256);
    html_markup(out, "'\">\n");
    put_title(out, title);
    html_markup(out, "<style>\n");
    text_put(out, report_css);
}

static void open_main(struct text *out)
{
    html_markup(out, "</style>\n</head>\n<body>\n<main>\n");
}

void frame_open(struct text *out, enum report_language language, const char *title, const char *foot)
{
    open_whole(out, language, title);
    if (language_of(language)->paper != NULL) {
        html_markup(out, "@page { size: ");
        html_text(out, language_of(language)->paper);
        html_markup(out, "; }\n");
    }
    write_page_number(out, language);
    if (*foot != '\0')
        write_foot(out, foot);
    open_main(out);
}

void frame_open_site(struct text *out, enum report_language language, const char *title)
{
    open_whole(out, language, title);
    text_put(out, site_css);
    open_main(out);
}

static void open_linked(struct text *out, const char *title, const char *style)
{
    put_title(out, title);
    html_markup(out, "<link rel=\"stylesheet\" href=\"");
    html_text(out, style);
    html_markup(out, "\">\n</head>\n<body>\n<main>\n");
}

/* A page that is read as a file has no origin that 'self' could be in every browser: "file:" says it. */
void frame_open_linked(struct text *out, enum report_language language, const char *title, const char *style)
{
    open_head(out, language);
    html_markup(out, "style-src 'self' file:; img-src data:\">\n");
    open_linked(out, title, style);
}

void frame_open_live(struct text *out, enum report_language language, const char *title, const char *style)
{
    open_head(out, language);
    html_markup(out, "style-src 'self'; img-src data:; script-src 'self'; connect-src 'self'\">\n");
    open_linked(out, title, style);
}

static void put_way(struct text *out, enum report_language language, const char *href, enum text_key where)
{
    html_markup(out, "<p class=\"small on-screen\"><a href=\"");
    html_text(out, href);
    html_markup(out, "\">");
    html_words(out, language_text(language, where));
    html_markup(out, "</a></p>\n");
}

void frame_back(struct text *out, enum report_language language, const char *index)
{
    put_way(out, language, index, TEXT_SITE_BACK);
}

void frame_live(struct text *out, enum report_language language, const char *board)
{
    put_way(out, language, board, TEXT_SITE_LIVE);
}

void frame_pieces(struct text *out, enum report_language language, const struct said_list *pieces)
{
    for (size_t i = 0; i < pieces->items.count; i++) {
        bool marked = pieces->items.items[i].foreign && language != LANGUAGE_EN;

        if (marked)
            html_markup(out, "<span lang=\"en\">");
        html_words(out, pieces->items.items[i].text);
        if (marked)
            html_markup(out, "</span>");
    }
}

void frame_said(struct text *out, struct arena *arena, enum report_language language,
                const struct reason *reason)
{
    struct said_list pieces;

    reason_pieces(arena, language, reason, &pieces);
    frame_pieces(out, language, &pieces);
}

static void party(struct text *out, enum report_language language, enum text_key who)
{
    static const enum text_key lines[] = {TEXT_COMPANY, TEXT_NAME_TITLE, TEXT_DATE_PLACE, TEXT_SIGNATURE};

    html_markup(out, "<div class=\"party\"><h3>");
    html_words(out, language_text(language, who));
    html_markup(out, "</h3>\n");
    for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
        html_markup(out, "<div class=\"line\"><span>");
        html_words(out, language_text(language, lines[i]));
        html_markup(out, "</span></div>\n");
    }
    html_markup(out, "</div>\n");
}

bool frame_simulated(struct text *out, enum report_language language, double timescale)
{
    cleanup_arena struct arena *arena = arena_create();
    const struct reason *sentence = simulated_sentence(arena, timescale);

    if (sentence == NULL)
        return false;
    html_markup(out, "<p class=\"simulated\">");
    html_text(out, reason_said(arena, language, sentence));
    html_markup(out, "</p>\n");
    return true;
}

void frame_sign_off(struct text *out, enum report_language language, enum text_key statement,
                    enum text_key what, const char *uuid)
{
    html_markup(out, "<div class=\"signoff\">\n<p>");
    html_words(out, language_text(language, statement));
    html_markup(out, "</p>\n<p class=\"small\">");
    html_words(out, language_text(language, what));
    html_markup(out, " <code>");
    html_words(out, uuid);
    html_markup(out, "</code></p>\n<div class=\"parties\">\n");
    party(out, language, TEXT_SUPPLIER);
    party(out, language, TEXT_CUSTOMER);
    html_markup(out, "</div>\n</div>\n");
}

void frame_close(struct text *out, enum report_language language)
{
    html_markup(out, "</main>\n<script data-filter=\"");
    html_text(out, language_text(language, TEXT_FILTER));
    html_markup(out, "\" data-shown=\"");
    html_text(out, language_text(language, TEXT_FILTER_SHOWN));
    html_markup(out, "\">");
    text_put(out, report_js);
    html_markup(out, "</script>\n</body>\n</html>\n");
}

void frame_end(struct text *out)
{
    html_markup(out, "</main>\n</body>\n</html>\n");
}
