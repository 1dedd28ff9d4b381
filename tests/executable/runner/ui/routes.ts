/** The pages of `toolcall ui`, for tests that open several of them. */
import type { Page } from "playwright-core";

/** The heading of each page, and an element that shows that the page is complete. */
const PAGES: Readonly<Record<string, readonly [heading: string, ready: string]>> = {
  permissions: ["Permissions", "#flags"],
  history: ["History", ".line"],
  tasks: ["Tasks", ".page"],
  audit: ["Audit", ".page"],
  servers: ["Servers", ".grid-list .panel"],
  doctor: ["Doctor and configuration", ".grid-list, .cards-list, .panel"],
  workers: ["Workers", ".cards-list .panel"],
};

/** Opens a page, such as `history` or `tools/Grep`, and waits until it is complete. */
export async function openRoute(page: Page, route: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(`#/${route}`)}`);
  const [name = "", tool] = route.split("/");
  if (tool !== undefined) {
    await page.waitForSelector(`.call h1 >> text=/^${tool}$/`);
    await page.waitForSelector("#run");
    // The check of the permissions, or of the arguments, is shown.
    await page.waitForSelector(".permission .badge, .field.wrong");
    return;
  }
  const [heading, ready] = PAGES[name]!;
  await page.waitForSelector(`h1 >> text=/^${heading}$/`);
  await page.waitForSelector(ready);
}
