export const projectFolder: string;
export function staleReason(folder?: string): string | null;
