import { orderLevels } from './order-levels.ts';
import type { PlacedTool } from './place-tools.ts';

export interface GraphNode {
  readonly name: string;
  readonly type: string;
  readonly isCyclic: boolean;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface GraphEdge {
  /** What is waited for. */
  readonly from: string;
  /** What waits. */
  readonly to: string;
  readonly isCyclic: boolean;
  /** The line, as a path of SVG. */
  readonly line: string;
}

export interface Graph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  readonly width: number;
  readonly height: number;
}

const HEIGHT = 30;
const GAP_X = 20;
const GAP_Y = 34;
const MARGIN = 14;
const LETTER = 7.3;

/** Draws which tools wait for which, from top to bottom; undefined when none waits for another. */
export function layOutGraph(placed: readonly PlacedTool[]): Graph | undefined {
  const byName = new Map(placed.map((tool) => [tool.placeholder, tool]));
  const pairs = placed.flatMap((tool) =>
    tool.needs.filter((name) => byName.has(name)).map((name) => ({ from: name, to: tool.placeholder })),
  );
  if (pairs.length === 0) return undefined;
  const involved = new Set(pairs.flatMap(({ from, to }) => [from, to]));
  const tools = [...byName.values()].filter(({ placeholder }) => involved.has(placeholder));
  const { levels, cyclic } = orderLevels(tools);
  const rows = [...(cyclic.length > 0 ? [cyclic] : []), ...levels];
  const widthOf = (name: string) => Math.round((name.length + 2) * LETTER + 22);
  const rowWidths = rows.map((row) => row.reduce((sum, { placeholder }) => sum + widthOf(placeholder) + GAP_X, -GAP_X));
  const width = Math.max(...rowWidths) + MARGIN * 2;
  const nodes = rows.flatMap((row, level) => {
    let x = (width - (rowWidths[level] ?? 0)) / 2;
    return row.map((tool): GraphNode => {
      const node = {
        name: tool.placeholder,
        type: tool.type,
        isCyclic: cyclic.includes(tool),
        x,
        y: MARGIN + level * (HEIGHT + GAP_Y),
        width: widthOf(tool.placeholder),
        height: HEIGHT,
      };
      x += node.width + GAP_X;
      return node;
    });
  });
  const nodeOf = new Map(nodes.map((node) => [node.name, node]));
  const edges = pairs.flatMap(({ from, to }): GraphEdge[] => {
    const [start, end] = [nodeOf.get(from), nodeOf.get(to)];
    if (!start || !end) return [];
    return [{ from, to, isCyclic: start.isCyclic && end.isCyclic, line: drawLine(start, end) }];
  });
  // Room for the arcs below tools that wait for each other.
  const height =
    MARGIN * 2 + rows.length * (HEIGHT + GAP_Y) - GAP_Y + (cyclic.length > 0 && rows.length === 1 ? 16 : 0);
  return { nodes, edges, width, height };
}

function drawLine(start: GraphNode, end: GraphNode): string {
  const center = ({ x, width }: GraphNode) => x + width / 2;
  const bottom = start.y + start.height;
  if (start === end) {
    const x = center(start);
    return `M ${x - 12} ${bottom} C ${x - 16} ${bottom + 20}, ${x + 16} ${bottom + 20}, ${x + 12} ${bottom + 2}`;
  }
  if (start.y === end.y) {
    // Both directions are seen: one arc above, one below.
    const goesRight = center(end) > center(start);
    const y = goesRight ? start.y : bottom;
    const bend = goesRight ? y - 18 : y + 18;
    return `M ${center(start)} ${y} C ${center(start)} ${bend}, ${center(end)} ${bend}, ${center(end)} ${y}`;
  }
  const middle = (bottom + end.y) / 2;
  return `M ${center(start)} ${bottom} C ${center(start)} ${middle}, ${center(end)} ${middle}, ${center(end)} ${end.y - 2}`;
}
