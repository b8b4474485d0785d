// Which rows of a long list of hands are in sight, and the pages that contain them.

/** The height of a row in pixels; the style sheet has the same. A million rows are below what browsers allow. */
export const ROW_HEIGHT = 30;
export const PAGE = 100;
/** Rows that are drawn beyond those in sight, so that scrolling does not outrun drawing. */
const BEYOND = 8;

/** The rows in sight, with some more on either side: `first` … `end − 1`. */
export function rowsInSight(top: number, height: number, total: number): { first: number; end: number } {
  return {
    first: Math.max(0, Math.floor(top / ROW_HEIGHT) - BEYOND),
    end: Math.min(total, Math.ceil((top + height) / ROW_HEIGHT) + BEYOND),
  };
}

/** The numbers of the pages that contain them. */
export function pagesInSight(top: number, height: number, total: number): number[] {
  const { first, end } = rowsInSight(top, height, total);
  const pages = [];
  for (let page = Math.floor(first / PAGE); page * PAGE < end; page += 1) pages.push(page);
  return pages;
}
