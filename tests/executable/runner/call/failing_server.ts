/** A server that fails at first, and a call of WebFetch that asks it. */
import { type Answering, countingServer } from "../../../support/counting_server.ts";

const PAGE = "<!doctype html><title>Tides</title><p>The water is low.</p>";
/** The answer to a request of the path "/feed". */
export const FEED = '<rss version="2.0"><channel><title>Tides</title></channel></rss>';
const EVENTS = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//t//t//EN\r\nEND:VCALENDAR\r\n";

/** A server that answers the first `times` requests of a path with a status, then with content. */
export function failing(
  { status, times, headers = {} }: {
    status: number;
    times: number;
    headers?: Record<string, string>;
  },
) {
  const moments: number[] = [];
  const answer: Answering = (path, { requests }) => {
    moments.push(Date.now());
    const count = requests.filter((each) => each.path === path).length;
    if (count <= times) return new Response("Not now", { status, headers });
    if (path === "/feed") return new Response(FEED);
    if (path === "/events") return new Response(EVENTS);
    return new Response(PAGE, { headers: { "content-type": "text/html" } });
  };
  return Object.assign(countingServer(answer), { moments });
}

/** The arguments of a call that fetches a page from this host. */
export const page = (origin: string) => ({
  url: `http://${origin}/page`,
  prompt: "How is the water?",
});
