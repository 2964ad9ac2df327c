/* SPDX-License-Identifier: Apache-2.0 */
/* How what was measured was measured: one page on paper. */
#include "method.h"
#include "page.h"

enum { ROWS_PRINTED = 16 };

static void write_points(struct page *page, const struct method *method)
{
    html_markup(page->out, "<dl>\n");
    for (size_t i = 0; i < method->points.count; i++)
        page_pair(page, method->points.items[i].title, method->points.items[i].text);
    html_markup(page->out, "</dl>\n");
}

static void write_kinds(struct page *page, const struct method *method)
{
    page_heading(page, TEXT_METHOD_KINDS);
    page_table(page, "compact", COLUMN(LIMIT_KIND), COLUMN(KIND_IS), NUMBERS(GATES), NUMBERS(NOT_PASSED),
               NUMBERS(ONLY_RECORDED));
    html_markup(page->out, "<tbody>\n");
    for (size_t i = 0; i < method->kinds.items.count; i++) {
        const struct method_kind *kind = &method->kinds.items.items[i];

        html_markup(page->out, "<tr>");
        html_row_head(page->out, *kind->status != '\0' ? word(page, kind->status) : say(page, TEXT_NO_KIND));
        html_cell(page->out, say(page, method_kind_text(kind->status)));
        html_number_cell(page->out, number(page, kind->gates));
        html_number_cell(page->out, number(page, kind->not_passed));
        html_number_cell(page->out, number(page, kind->recorded));
        html_markup(page->out, "</tr>\n");
    }
    html_markup(page->out, "</tbody></table>\n");
}

static void write_noise(struct page *page, const struct method_step *step)
{
    const char *hosts = method_noise_text(page->arena, page->language, &step->hosts),
               *itself = method_noise_text(page->arena, page->language, &step->itself);

    html_markup(page->out, "<td>");
    if (*hosts != '\0')
        html_words(page->out, sayf(page, TEXT_NOISE_HOSTS, hosts));
    if (*hosts != '\0' && *itself != '\0')
        html_markup(page->out, "<br>");
    if (*itself != '\0')
        html_words(page->out, sayf(page, TEXT_NOISE_REPEATS, itself));
    if (*hosts == '\0' && *itself == '\0')
        html_markup(page->out, "\xe2\x80\x93");
    html_markup(page->out, "</td>");
}

static void write_step(struct page *page, const struct method_step *step, bool printed)
{
    page_open_row(page, printed);
    html_row_head(page->out, step->suite_step);
    html_code_cell(page->out, *step->command != '\0' ? step->command : "\xe2\x80\x93");
    html_cell(page->out, method_targets(page->arena, page->language, step));
    html_cell(page->out, method_kinds_text(page->arena, page->language, step));
    write_noise(page, step);
    html_markup(page->out, "</tr>\n");
}

/* Those that are prominent, or the others. */
static void write_steps(struct page *page, const struct method *method, bool prominent)
{
    size_t row = 0;

    page_table(page, "compact method", COLUMN(STEP), COLUMN(METHOD_COMMAND), COLUMN(METHOD_ON),
               COLUMN(METHOD_JUDGED_BY), COLUMN(NOISE));
    html_markup(page->out, "<tbody>\n");
    for (size_t i = 0; i < method->steps.count; i++)
        if (method->steps.items[i].prominent == prominent)
            write_step(page, &method->steps.items[i], page_row_prints(page, row++, ROWS_PRINTED));
    html_markup(page->out, "</tbody></table>\n");
}

void page_method(struct page *page)
{
    struct method method;
    size_t prominent = 0;

    method_of_run(page->view, page->language, &method);
    for (size_t i = 0; i < method.steps.count; i++)
        prominent += method.steps.items[i].prominent;
    page_paragraph(page, TEXT_METHOD_INTRO);
    write_points(page, &method);
    write_kinds(page, &method);
    page_heading(page, TEXT_METHOD_STEPS);
    page_paragraph(page, TEXT_METHOD_NOISE);
    if (prominent > 0)
        write_steps(page, &method, true);
    if (prominent < method.steps.count) {
        if (page_prints(page, APPENDIX_HOSTS) || prominent == 0)
            html_markup(page->out, "<details open><summary>");
        else
            html_markup(page->out, "<details><summary>");
        html_words(page->out, sayf(page, TEXT_METHOD_READ, number(page, method.steps.count - prominent)));
        html_markup(page->out, "</summary>\n");
        write_steps(page, &method, false);
        html_markup(page->out, "</details>\n");
    }
    page_left_out(page, method.steps.count, prominent < ROWS_PRINTED ? prominent : ROWS_PRINTED);
}
