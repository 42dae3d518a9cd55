/** Counted of inventories. */
export const inventoryMetrics = {
  strongroom_inventories_total: {
    type: 'counter',
    help: 'Runs of inventories that ended, by outcome: `succeeded`, `failed` or `cancelled`.',
    labels: ['outcome'],
  },
  strongroom_inventory_rows_total: {
    type: 'counter',
    help: 'Rows written to files of inventories: objects, versions and changes.',
  },
} as const
