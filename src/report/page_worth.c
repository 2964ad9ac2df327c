/* SPDX-License-Identifier: Apache-2.0 */
/* What the cluster is worth: the numbers that a training rests on, and how long some trainings would take. */
#include "page.h"

bool page_has_worth(const struct page *page)
{
    enum worth_type type;

    return worth_type_measured(&page->worth, &type);
}

static void write_inputs(struct page *page, enum worth_type type)
{
    struct worth_input inputs[WORTH_QUANTITIES];
    struct worth_lines lines;

    for (size_t i = 0; i < WORTH_QUANTITIES; i++)
        inputs[i] = i == WORTH_GEMM ? page->worth.gemm[type] : page->worth.inputs[i];
    worth_say_inputs(page->arena, &page->worth, inputs, type, &lines);
    page_table(page, "compact", COLUMN(WORTH_QUANTITY), COLUMN(WORTH_VALUE), COLUMN(WORTH_FROM));
    html_markup(page->out, "<tbody>\n");
    for (size_t i = 0; i < lines.items.count; i++) {
        html_markup(page->out, "<tr>");
        html_row_head(page->out, said(page, lines.items.items[i].name));
        page_said_cell(page, lines.items.items[i].value);
        page_said_cell(page, lines.items.items[i].origin);
        html_markup(page->out, "</tr>\n");
    }
    html_markup(page->out, "</tbody></table>\n");
}

static void write_example(struct page *page, const struct worth_example *example, enum worth_type type)
{
    struct worth_question question = example->question;
    struct worth_answer answer;
    const struct reason *refusal;

    question.type = type;
    refusal = worth_answer(page->arena, &page->worth, &question, &answer);
    html_markup(page->out, "<tr>");
    html_row_head(page->out, example->title);
    if (refusal != NULL) {
        html_markup(page->out, "<td colspan=\"2\">");
        page_said(page, worth_refusal_said(page->arena, refusal));
        html_markup(page->out, "</td>");
    } else {
        page_said_cell(page, worth_days_said(page->arena, &answer));
        page_said_cell_or(page, worth_energy_said(page->arena, &answer), TEXT_DASH);
    }
    html_markup(page->out, "</tr>\n");
}

void page_worth(struct page *page)
{
    enum worth_type type = WORTH_BF16;
    size_t count;
    const struct worth_example *examples = worth_examples(&count);

    worth_type_measured(&page->worth, &type);
    page_paragraph(page, TEXT_WORTH_INTRO);
    write_inputs(page, type);
    html_paragraph(page->out, sayf(page, TEXT_WORTH_EXAMPLES_INTRO, worth_type_name(type),
                                   arena_printf(page->arena, "%lld", page->view->record->number)));
    page_table(page, "compact", COLUMN(WORTH_TRAINING), COLUMN(WORTH_TIME), COLUMN(WORTH_ENERGY));
    html_markup(page->out, "<tbody>\n");
    for (size_t i = 0; i < count; i++)
        write_example(page, &examples[i], type);
    html_markup(page->out, "</tbody></table>\n");
}
